"""Periodic clusters and their symmetries by arithmetic on cells, for rivals that want them spelt out."""
import cmath
import itertools

#: Nearest, then next-nearest neighbours: (site of a cell, cells to the right, cells up, site of that cell).
LINKS = {
    "chain": ([(0, 1, 0, 0)], [(0, 2, 0, 0)]),
    "square": ([(0, 1, 0, 0), (0, 0, 1, 0)], [(0, 1, 1, 0), (0, 1, -1, 0)]),
    "triangular": ([(0, 1, 0, 0), (0, 0, 1, 0), (0, 1, -1, 0)],
                   [(0, 1, 1, 0), (0, 2, -1, 0), (0, 1, -2, 0)]),
    "kagome": ([(0, 0, 0, 1), (0, 0, 0, 2), (1, 0, 0, 2), (1, 1, 0, 0), (2, 0, 1, 0),
                (1, 1, -1, 2)], []),
}


class Cluster:
    """Cells of a plane; two that differ by `first` or `second` are equivalent."""

    def __init__(self, first, second, net="square"):
        self.turns = first[0] * second[1] - first[1] * second[0]
        self.vectors = (first, second) if self.turns > 0 else (second, first)
        self.turns = abs(self.turns)
        self.net = net
        self.basis = 3 if net == "kagome" else 1
        reach = range(-sum(map(abs, first + second)), sum(map(abs, first + second)) + 1)
        self.cells = sorted({self.home(x, y) for x, y in itertools.product(reach, reach)},
                            key=lambda cell: (cell[1], cell[0]))
        assert len(self.cells) == self.turns
        self.place = {cell: i for i, cell in enumerate(self.cells)}
        self.sites = self.turns * self.basis

    def home(self, x, y):
        """The cell of the first parallelogram that is equivalent to this one."""
        (a, b), (c, d) = self.vectors
        u = (x * d - y * c) // self.turns
        v = (y * a - x * b) // self.turns
        return x - u * a - v * c, y - u * b - v * d

    def site(self, x, y, of_cell=0):
        return self.place[self.home(x, y)] * self.basis + of_cell

    def bonds(self, order=1, once=True):
        """Pairs of neighbours; a pair joined by several links occurs once, or each time."""
        links = LINKS[self.net][order - 1]
        found = [tuple(sorted((self.site(x, y, s), self.site(x + dx, y + dy, t))))
                 for x, y in self.cells for s, dx, dy, t in links]
        found = [pair for pair in found if pair[0] != pair[1]]
        return sorted(set(found)) if once else found

    def moved(self, move):
        """Permutation of sites if cell (x, y) moves to move(x, y); one site per cell, or a translation."""
        return [self.site(*move(x, y), s) for x, y in self.cells for s in range(self.basis)]

    def shifts(self, momentum):
        """Both translations, with the characters of a momentum in units of 2 pi over the cells there."""
        found = []
        for shift, k, length in zip(((1, 0), (0, 1)), momentum, self.lengths()):
            if length > 1:
                found.append((self.moved(lambda x, y, s=shift: (x + s[0], y + s[1])),
                              cmath.exp(2j * cmath.pi * k / length)))
        return found

    def lengths(self):
        """Periods of the translations, in cells to the right and up."""
        return tuple(next(n for n in range(1, self.turns + 1)
                          if self.home(n * x, n * y) == self.home(0, 0)) for x, y in ((1, 0), (0, 1)))


def group_of(generators):
    """All products of permutations with their characters."""
    identity = tuple(range(len(generators[0][0])))
    found = {identity: 1 + 0j}
    fresh = [identity]
    while fresh:
        reached = []
        for one in fresh:
            for image, character in generators:
                product = tuple(image[site] for site in one)
                value = found[one] * character
                if product not in found:
                    found[product] = value
                    reached.append(product)
                elif abs(found[product] - value) > 1e-9:
                    raise ValueError("no state has all of these characters together")
        fresh = reached
    return found


def by_sublattices(sites, count):
    """New numbers of a ring's sites: those of a sublattice side by side."""
    return [site % count * (sites // count) + site // count for site in range(sites)]
