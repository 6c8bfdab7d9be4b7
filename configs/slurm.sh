#!/usr/bin/env bash
# A job under Slurm that loses nothing to its time limit:
#
#   sbatch configs/slurm.sh                     water, full CI (configs/h2o-fci.yaml)
#   sbatch configs/slurm.sh mine.yaml --set solver.states=4
#   sbatch --nodes=2 --ntasks-per-node=2 configs/slurm.sh mine.yaml     four ranks (docs/clusters.md)
#
# Two minutes before the limit Slurm sends a SIGTERM; the program saves its state and ends with exit
# code 75. The job is queued again under the same number and goes on from there. Give it your
# cluster's partition and account, and for a GPU a line `#SBATCH --gres=gpu:1`.
#SBATCH --job-name=ci-solve
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=01:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -uo pipefail

config=${1:-configs/h2o-fci.yaml}
[[ $# -eq 0 ]] || shift
directory=out/slurm-$SLURM_JOB_ID

# Where one of several ranks ends, all do.
export SLURM_KILL_BAD_EXIT=1

# What Slurm granted; a tenth of the memory is left to the system, and ranks of a node share the rest.
granted=(--set "threads=${SLURM_CPUS_PER_TASK:-auto}")
if [[ -n ${SLURM_MEM_PER_NODE:-} ]]; then
  granted+=(--set "memory=$((SLURM_MEM_PER_NODE * 9 / 10 / ${SLURM_NTASKS_PER_NODE:-1})) MiB")
fi

if [[ -e $directory/unfinished-job.yaml ]]; then  # this job has run before
  srun ci-solve resume "$directory" "${granted[@]}"
else
  srun ci-solve "$config" "${granted[@]}" --set "output.directory=$directory" "$@"
fi
code=$?
if [[ $code -eq 75 ]]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
