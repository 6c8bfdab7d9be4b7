#!/usr/bin/env python3
"""Writes the lowest eigenvalues of matrices, by dense diagonalisation.

  bench_eigensolvers --suites hard --write-matrices FOLDER
  bench/eigensolvers/lowest_values.py FOLDER > bench/eigensolvers/hard/lowest.txt

Needs NumPy: pip install numpy
"""

import pathlib
import sys

import numpy as np

MOST = 24  # values of each


def read(path):
    whole = np.fromfile(path, dtype=np.int64)
    rows, nonzeros = whole[:2]
    offsets = whole[2:rows + 3]
    columns = whole[rows + 3:rows + 3 + nonzeros]
    values = whole[rows + 3 + nonzeros:].view(np.float64)
    matrix = np.zeros((rows, rows))
    matrix[np.repeat(np.arange(rows), np.diff(offsets)), columns] = values
    return matrix


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.csr")):
        values = np.linalg.eigvalsh(read(path))[:MOST]
        print(path.stem, *(f"{value:.12f}" for value in values), flush=True)


if __name__ == "__main__":
    main()
