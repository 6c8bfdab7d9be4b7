#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/configuration.hpp"
#include "app/runs/checkpoint_folder.hpp"
#include "app/runs/checkpoint_writer.hpp"
#include "app/runs/folder.hpp"

namespace cisolve::app {

/// Whether a job keeps checkpoints.
bool keeps_state(const Configuration& configuration);

/// A job's output folder. As long as the job is unfinished it keeps the configuration
/// (unfinished-job.yaml) and the checkpoints, from which `ci-solve resume` goes on.
///
/// Without `force` no file is replaced or removed but those of this job: results that the kept
/// configuration asks for, where it goes on, and what it keeps itself, which it knows again.
class JobFolder {
 public:
  /// Made, claimed and proven writable before the work begins, so that no result is lost at its
  /// end. Refuses to begin anew where a checkpoint waits to be resumed, unless `force`; refuses to
  /// resume from a checkpoint of another input with Fault::bad_input and the differences, and where
  /// a result would go through a link of a folder that somebody else may have made.
  JobFolder(const Configuration& configuration, bool resumed, bool force,
            const base::Backend& host);

  std::string record_path() const;
  /// Whether files of an earlier job may be replaced.
  bool overwrites() const { return overwrites_; }
  /// Which files the results may replace.
  io::Place place() const { return place_; }
  /// Results that may have been there before and go, unless they are written anew.
  const std::vector<std::string>& replaced() const { return replaced_; }

  /// The newest checkpoint of a resumed job, if there is one; once.
  std::optional<solver::Checkpoint> take_start() { return std::exchange(start_, std::nullopt); }

  /// Goes on from the newest checkpoint, if this job has any, where an attempt failed.
  void start_again(const base::Backend& host);

  bool keeps_state() const { return app::keeps_state(configuration_); }

  /// Whether there is a checkpoint now.
  bool holds_state() const { return checkpoints_.holds_any(); }

  CheckpointWriter checkpoint_writer() {
    return {checkpoints_, input_, configuration_.output.checkpoint};
  }

  /// The job is finished: only its results stay.
  void clear();

 private:
  void read_start(const base::Backend& host);

  const Configuration& configuration_;
  bool overwrites_;
  io::Place place_;
  std::vector<std::string> replaced_;
  FolderClaim claim_;
  std::string input_;  // the identity of what is solved
  CheckpointFolder checkpoints_;
  std::optional<solver::Checkpoint> start_;
};

}  // namespace cisolve::app
