"""Problems that ci-solve and XDiag both solve: as ci-solve's configuration, and as XDiag is told them."""
import dataclasses

from clusters import Cluster, by_sublattices, group_of

#: Names of a term in XDiag and in ci-solve: on two sites, or on one.
KINDS = {"SdotS": "J", "Exchange": "Jxy", "SzSz": "Jz", "Sz": "h", "Sx": "hx", "Hop": "t",
         "NtotNtot": "V", "Nupdn": "U", "Ntot": "e"}


@dataclasses.dataclass
class Case:
    name: str
    lattice: str  # of problem.lattice
    model: str  # XDiag's
    sites: int
    terms: list  # (XDiag's type, strength, sites)
    up: int = None
    down: int = 0
    symmetry: str = ""  # of space.symmetry
    generators: tuple = ()  # of XDiag's group: (permutation, character)
    coding: int = 0  # sublattices that all operations map to sublattices

    def ours(self):
        particles = ""
        if self.model != "spins":
            particles = f"  electrons: {self.up + self.down}\n  ms2: {self.up - self.down}\n"
        elif self.up is not None:
            particles = f"  ms2: {2 * self.up - self.sites}\n"
        space = f"space: {{symmetry: {{{self.symmetry}}}}}\n" if self.symmetry else ""
        return f"problem:\n  lattice: {{{self.lattice}}}\n{particles}{space}"

    def rival(self, by_sublattice=False):
        coded = by_sublattice and self.coding > 0
        number = by_sublattices(self.sites, self.coding) if coded else range(self.sites)
        lines = [f"model {self.model}", f"sites {self.sites}", f"down {self.down}"]
        if self.up is not None:
            lines.append(f"up {self.up}")
        if coded:
            lines.append(f"coding {self.coding}sublattice")
        if self.generators:
            for image, character in group_of(self.generators).items():
                moved = [0] * self.sites
                for site in range(self.sites):
                    moved[number[site]] = number[image[site]]
                lines.append(f"operation {character.real:.17g} {character.imag:.17g} "
                             + " ".join(map(str, moved)))
        for kind, strength, sites in self.terms:
            lines.append(" ".join(["term", kind, repr(float(strength))]
                                  + [str(number[site]) for site in sites]))
        return "\n".join(lines) + "\n"


def chain_of(sites):
    return Cluster((sites, 0), (0, 1), "chain")


def on(bonds, kind, strength):
    return [(kind, strength, bond) for bond in bonds]


def graph(name, model, sites, terms, up=None, down=0):
    """A case in which ci-solve, too, reads every bond."""
    ours = {"spins": "heisenberg", "electrons": "hubbard", "tj": "t-j"}[model]
    terms = [term for kind, strength, s in terms for term in
             ([("SdotS", strength, s), ("NtotNtot", -strength / 4, s)] if kind == "tJSdotS"
              else [(kind, strength, s)])]
    lines = [f"[{s[0] + 1}, {s[-1] + 1}, {strength!r}, {KINDS[kind]}]" for kind, strength, s in terms]
    return Case(name, f"model: {ours}, shape: graph, bonds: [{', '.join(lines)}]", model, sites, terms,
                up, down)


def ring(sites, momentum=None, j2=0.0):
    """Spins; in the sector of a momentum also even under the mirror and, in ci-solve, the flip of all."""
    cluster = chain_of(sites)
    terms = on(cluster.bonds(), "SdotS", 1) + (on(cluster.bonds(2), "SdotS", j2) if j2 else [])
    case = Case(f"ring of {sites}" + (f", J2 = {j2}" if j2 else ""),
                f"model: heisenberg, columns: {sites}, periodic_columns: true, j2: {j2}", "spins", sites,
                terms, sites // 2)
    if momentum is None:
        return case
    case.name += f", momentum {momentum}"
    case.symmetry = f"momentum: [{momentum}], columns: even"
    case.generators = tuple(cluster.shifts((momentum, 0)))
    if 2 * momentum % sites == 0:  # otherwise ci-solve includes -k, which the mirror halves
        case.symmetry += ", spin: even"
        case.generators += ((cluster.moved(lambda x, y: (-x, y)), 1),)
    case.coding = 4 if sites % 4 == 0 else 2
    return case


def plane(columns, rows, net="square", symmetric=False, j2=0.0):
    """Spins of a torus, all with as many up as down or those of momentum 0 with every mirror even."""
    cluster = Cluster((columns, 0), (0, rows), net)
    terms = on(cluster.bonds(), "SdotS", 1) + (on(cluster.bonds(2), "SdotS", j2) if j2 else [])
    case = Case(f"{net} {columns} x {rows}" + (f", J2 = {j2}" if j2 else ""),
                f"model: heisenberg, shape: {net}, columns: {columns}, rows: {rows}, "
                f"periodic_columns: true, periodic_rows: true, j2: {j2}", "spins", cluster.sites, terms,
                cluster.sites // 2)
    if symmetric:
        case.name += ", momentum 0"
        case.generators = tuple(cluster.shifts((0, 0)))
        case.symmetry = "momentum: [0, 0], spin: even"
        if net == "square":
            case.symmetry += ", columns: even, rows: even"
            case.generators += ((cluster.moved(lambda x, y: (-x, y)), 1),
                                (cluster.moved(lambda x, y: (x, -y)), 1))
        elif net == "triangular":
            case.symmetry += ", inversion: even"
            case.generators += ((cluster.moved(lambda x, y: (-x, -y)), 1),)
    return case


def electrons(columns, rows, up, down, momentum=None, u=4.0, j=None):
    """Electrons of a Hubbard model on a torus, or of a t-J model if `j` is given."""
    cluster = Cluster((columns, 0), (0, rows))
    bonds = cluster.bonds()
    own = f"model: hubbard, u: {u}" if j is None else f"model: t-j, j: {j}"
    terms = on(bonds, "Hop", 1) + ([("HubbardU", u, ())] if j is None else on(bonds, "tJSdotS", j))
    case = Case(("Hubbard" if j is None else "t-J") + f" {columns} x {rows}, {up} + {down} electrons",
                f"{own}, t: 1, columns: {columns}, rows: {rows}, periodic_columns: true"
                + (", periodic_rows: true" if rows > 2 else ""),
                "electrons" if j is None else "tj", cluster.sites, terms, up, down)
    if momentum is not None:
        case.name += f", momentum {momentum}"
        case.symmetry = f"momentum: {list(momentum)[:1 if rows == 1 else 2]}"
        case.generators = tuple(cluster.shifts(momentum))
    return case


def measured():
    """The cases, the fastest first."""
    return [ring(16), ring(20, 0), ring(24, 0), ring(24, 6), ring(24, 0, 0.5), plane(4, 4),
            plane(4, 4, j2=0.5), plane(6, 4, symmetric=True), plane(4, 3, "triangular"),
            plane(6, 4, "triangular", symmetric=True), plane(2, 2, "kagome"), plane(3, 2, "kagome"),
            electrons(4, 3, 5, 5, j=0.4), electrons(4, 4, 8, 7, j=0.3), electrons(7, 2, 6, 6, j=0.4),
            electrons(12, 1, 6, 6), electrons(4, 3, 6, 6)]


def in_sectors():
    """Electrons with a momentum."""
    return [electrons(10, 1, 5, 5, (0, 0)), electrons(4, 3, 6, 6, (0, 0)),
            electrons(4, 4, 4, 4, (0, 0)), electrons(4, 4, 5, 5, (0, 0))]


def large():
    """For machines with more cores, or a device."""
    return [ring(28, 0), ring(32, 0), ring(36, 0), electrons(4, 4, 5, 5, (0, 0)),
            electrons(4, 4, 8, 8, (0, 0))]


def published():
    """The examples of XDiag's documentation whose lowest state ci-solve can find, and others of its
    tests, under the names of their files."""
    eighteen = Cluster((1, 4), (4, -2), "triangular")
    twelve = Cluster((2, 2), (2, -4), "triangular")
    eight = Cluster((2, 2), (2, -2))
    square = Cluster((4, 0), (0, 4))
    chain = [(i, i + 1) for i in range(13)]
    xxz = chain_of(18)
    open_plane = [(1, 2), (2, 3), (1, 4), (1, 5), (2, 5), (2, 6), (3, 6), (3, 7), (4, 5), (5, 6), (6, 7),
                  (4, 8), (5, 8), (5, 9), (6, 9), (6, 10), (7, 10), (7, 11), (8, 9), (9, 10), (10, 11)]
    open_plane = [(a - 1, b - 1) for a, b in open_plane]
    far = [("Exchange", -1 / (14**0.5 * (b - a)), (a, b)) for b in range(14) for a in range(b)]
    attractive = (on(square.bonds(), "Hop", 1) + [("Nupdn", -10, (s,)) for s in range(16)]
                  + [("Ntot", 5, (s,)) for s in range(16)])
    small = on(Cluster((2, 0), (0, 2)).bonds(once=False), "Hop", 1)
    # The dimers of a Shastry-Sutherland plane of 4 x 5 sites stand in every other square, crosswise.
    sutherland = Cluster((4, 0), (0, 5))
    dimers = [(0, 5), (6, 9), (2, 7), (4, 11), (8, 13), (14, 17), (10, 15), (12, 19), (1, 16), (3, 18)]
    return [
        ring(14), ring(16), ring(18), ring(16, 0),
        graph("entanglement_ground_state", "spins", 16,
              on(chain_of(16).bonds(), "Exchange", 1)
              + on(chain_of(16).bonds(), "SzSz", 1), 8),
        graph("spinhalf_chain_level_statistics", "spins", 18,
              on(xxz.bonds(), "SzSz", 1) + on(xxz.bonds(), "Exchange", 0.5)
              + on(xxz.bonds(2), "SzSz", 0.5), 9),
        graph("tos_alpha_xx", "spins", 14, far, 7),
        graph("tos_triangular", "spins", 18, on(eighteen.bonds(), "SdotS", 1), 9),
        graph("triangular.12", "spins", 12, on(twelve.bonds(), "SdotS", 1), 6),
        graph("tpq_shastry_sutherland", "spins", 20,
              on(sutherland.bonds(), "SdotS", 0.63) + on(dimers, "SdotS", 1), 10),
        graph("test_non_branching_op, a chain of Ising spins", "spins", 14,
              on(chain, "SzSz", 1) + [("Sx", 1, (s,)) for s in range(14)]),
        graph("hubbard_greens_f", "electrons", 8,
              on(eight.bonds(), "Hop", 1) + [("Nupdn", 1.5, (s,)) for s in range(8)], 4, 4),
        graph("ahm_correlations", "electrons", 4, small + [("Nupdn", -10, (s,)) for s in range(4)], 2, 2),
        graph("tos_ahm, 4 electrons", "electrons", 16, attractive, 2, 2),
        graph("tos_ahm, 6 electrons", "electrons", 16, attractive, 3, 3),
        electrons(4, 4, 8, 7, j=0.3),
        graph("specific_heat_tJ_triangular", "tj", 11,
              on(open_plane, "Hop", 1) + on(open_plane, "tJSdotS", 0.4), 5, 5),
    ]
