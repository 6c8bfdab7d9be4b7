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
bool keeps_checkpoints(const Configuration& configuration);

/// A job's output folder. While the job is unfinished it holds the configuration
/// (unfinished-job.yaml) and the checkpoints, from which `ci-solve resume` continues.
///
/// Without `force` only files of this job are replaced or removed: results that the kept
/// configuration requests, if resumed, and its own checkpoint files, which are recognised by
/// content.
class JobFolder {
 public:
  /// Creates and locks the folder and checks that it is writable before the work begins. Throws if
  /// a checkpoint waits to be resumed and neither `resumed` nor `force` is set; throws
  /// ErrorKind::bad_input with the differences if the checkpoint has another input; refuses to
  /// write results through links in a folder that others may have created.
  JobFolder(const Configuration& configuration, bool resumed, bool force,
            const base::Backend& host);

  std::string record_path() const;
  /// Whether files of an earlier job may be replaced.
  bool overwrites() const { return overwrites_; }
  /// Names the files that the results may replace.
  io::FileOwner place() const { return place_; }
  /// Earlier result files that are removed unless they are rewritten.
  const std::vector<std::string>& replaced() const { return replaced_; }

  /// Moves out the newest checkpoint of a resumed job, if there is one.
  std::optional<solver::Checkpoint> take_start() { return std::exchange(start_, std::nullopt); }

  /// Reloads the newest checkpoint of this job, if any, after a failed attempt.
  void start_again(const base::Backend& host);

  bool keeps_checkpoints() const { return app::keeps_checkpoints(configuration_); }

  /// Whether there is a checkpoint now.
  bool has_checkpoint() const { return checkpoints_.has_any(); }

  CheckpointWriter checkpoint_writer() {
    return {checkpoints_, input_, configuration_.output.checkpoint};
  }

  /// The job is finished: only its results stay.
  void clear();

 private:
  void read_start(const base::Backend& host);

  const Configuration& configuration_;
  bool overwrites_;
  io::FileOwner place_;
  std::vector<std::string> replaced_;
  FolderLock lock_;
  std::string input_;  // the identity of what is solved
  CheckpointFolder checkpoints_;
  std::optional<solver::Checkpoint> start_;
};

}  // namespace cisolve::app
