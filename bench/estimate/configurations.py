# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What is measured: a program, its ranks, and the nodes that they run on.

Iterations are such that a run takes 1 to 3 s on ports of 12.5 MB/s. Sides of grids fit the number of ranks, odd ones too.
"""

import hashlib
import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from compare.cases import melt
from recorder import hpcc

_BENCH = Path(__file__).resolve().parents[1]
_CPUS = {"8x2": 2, "4x4-100m": 4}  # of a node
SHAPES = tuple(_CPUS)
KIB = 1024


@dataclass(frozen=True)
class Configuration:
    name: str
    shape: str
    ranks: int
    nodes: int
    command: tuple  # a program of bench/programs has no path
    own_clock: bool = True  # False: from the end of MPI_Init to MPI_Finalize
    foreign: bool = False  # not written here
    preload: tuple = ()  # C sources of this directory, also when it is recorded
    limit_s: float = 40.0
    files: dict = field(default_factory=dict)  # text by name, in the directory where it runs
    mappers: tuple = ()  # names of mappers whose placements are measured too

    @property
    def program(self):
        return Path(self.command[0]).name

    def digest(self):
        """Of all that a measurement depends on; the same wherever the sources are."""
        facts = asdict(self)
        if not self.mappers:
            del facts["mappers"]  # as before there were any
        text = json.dumps(facts, sort_keys=True).replace(str(_BENCH), "bench")
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _named(kind, shape, ranks, nodes):
    full = -(-ranks // _CPUS[shape])
    return f"{kind}-{ranks}-{shape.split('-')[0]}" + ("" if nodes == full else f"-on-{nodes}")


def _ours(kind, ranks, command, shape="8x2", nodes=None, files=None):
    """`kind` names the case; nodes: as few as hold the ranks."""
    nodes = nodes or -(-ranks // _CPUS[shape])
    return Configuration(_named(kind, shape, ranks, nodes), shape, ranks, nodes, tuple(command.split()), files=files or {})


def _foreign(kind, ranks, command, shape="8x2", nodes=None, own_clock=False, files=None, preload=()):
    nodes = nodes or -(-ranks // _CPUS[shape])
    return Configuration(_named(kind, shape, ranks, nodes), shape, ranks, nodes, tuple(map(str, command)), own_clock=own_clock,
                         foreign=True, limit_s=60.0, files=files or {}, preload=preload)


def _lammps(box, cells, ranks, grid, steps, shape="8x2", nodes=None):
    return _foreign(f"lammps-{box}", ranks, melt(cells, grid, steps), shape, nodes, own_clock=True)


def irregular_graph(ranks, cluster, seed):
    return subprocess.run([sys.executable, _BENCH / "programs" / "graphs" / "make_irregular.py", "--vertices", str(ranks), "--cluster",
                           str(cluster), "--seed", str(seed)], check=True, capture_output=True, text=True).stdout


def _irregular(ranks, cluster, seed, iterations, shape="8x2"):
    return _ours("irregular", ranks, f"irregular random.graph --scale 4 --iterations {iterations}", shape,
                 files={"random.graph": irregular_graph(ranks, cluster, seed)})


def _profiled(name):
    return (_BENCH / "profiles" / name).read_text(encoding="utf-8")


def _written_here():
    return [
        _ours("halo2d", 16, "halo2d --grid 4x4 --message-bytes 65536 --iterations 32"),
        _ours("halo2d-scrambled", 16, "halo2d --grid 4x4 --periodic --scramble 1 --message-bytes 65536 --iterations 16"),
        _ours("halo2d", 9, "halo2d --grid 3x3 --periodic --message-bytes 16384 --iterations 120"),
        _ours("halo2d-in-turn-scrambled", 15, "halo2d --grid 3x5 --in-turn --scramble 4 --message-bytes 32768 --iterations 60"),
        _ours("halo2d-scrambled", 12, "halo2d --grid 3x4 --scramble 2 --message-bytes 131072 --iterations 12", "4x4-100m"),
        _ours("halo3d-scrambled", 16, "halo3d --grid 2x2x4 --scramble 5 --message-bytes 65536 --iterations 20"),
        _ours("halo3d-in-turn", 16, "halo3d --grid 4x2x2 --periodic --in-turn --message-bytes 65536 --iterations 16"),
        _ours("halo3d-in-turn-scrambled", 12, "halo3d --grid 2x2x3 --in-turn --scramble 3 --message-bytes 65536 --iterations 32"),
        _ours("halo3d-in-turn-scrambled", 16, "halo3d --grid 2x2x4 --in-turn --scramble 7 --message-bytes 65536 --iterations 14", "4x4-100m"),
        _ours("halo3d", 8, "halo3d --grid 2x2x2 --message-bytes 262144 --iterations 12"),
        _ours("stencil_cg", 16, "stencil_cg --grid 4x4 --message-bytes 16384 --iterations 100"),
        _ours("stencil_cg-scrambled", 15, "stencil_cg --grid 3x5 --scramble 3 --message-bytes 8192 --iterations 120"),
        _ours("stencil_cg-scrambled", 12, "stencil_cg --grid 3x4 --scramble 8 --message-bytes 65536 --iterations 20", "4x4-100m"),
        _ours("cg", 16, "cg --message-bytes 65536 --iterations 40"),
        _ours("cg", 8, "cg --message-bytes 65536 --iterations 45"),
        _ours("ring-token", 9, "ring --pattern token --scramble 2 --message-bytes 65536 --iterations 24"),
        _ours("ring-shift", 16, "ring --pattern shift --scramble 3 --message-bytes 131072 --iterations 40"),
        _ours("ring-shift", 13, "ring --pattern shift --scramble 5 --message-bytes 65536 --iterations 80", "4x4-100m"),
        _ours("ring-swap", 7, "ring --scramble 4 --message-bytes 32768 --iterations 150"),
        _ours("wavefront", 16, "wavefront --grid 4x4 --message-bytes 32768 --fronts 8 --iterations 5"),
        _ours("wavefront-scrambled", 15, "wavefront --grid 3x5 --scramble 6 --message-bytes 16384 --fronts 8 --iterations 9"),
        _ours("wavefront-scrambled", 12, "wavefront --grid 3x4 --scramble 2 --message-bytes 65536 --fronts 8 --iterations 3", "4x4-100m"),
        _ours("butterfly", 16, "butterfly --message-bytes 65536 --iterations 20"),
        _ours("butterfly", 8, "butterfly --stage-bytes 8192,32768,131072 --iterations 20", "4x4-100m"),
        _irregular(16, 4, 7, 12),
        _irregular(15, 5, 3, 12),
        _irregular(14, 4, 5, 12, "4x4-100m"),
        _ours("transposed", 16, "transposed --grid 4x4 --message-bytes 65536 --iterations 6"),
        _ours("transposed", 10, "transposed --grid 5x2 --message-bytes 65536 --iterations 8"),
        _ours("transposed", 12, "transposed --grid 3x4 --message-bytes 65536 --iterations 5", "4x4-100m"),
        _ours("alltoall", 11, "alltoall --message-bytes 16384 --iterations 30"),
        _ours("alltoall", 16, "alltoall --message-bytes 4096 --iterations 60", "4x4-100m"),
        _ours("allreduce-8b", 16, "allreduce --message-bytes 8 --iterations 800"),
        _ours("allreduce-1mb", 12, "allreduce --message-bytes 1048576 --iterations 6"),
        _ours("allreduce-1mb", 16, "allreduce --message-bytes 1048576 --iterations 8", "4x4-100m"),
        _ours("halo2d", 2, "halo2d --grid 2x1 --message-bytes 65536 --iterations 150", nodes=2),
        _ours("halo3d-scrambled", 5, "halo3d --grid 5x1x1 --periodic --scramble 3 --message-bytes 65536 --iterations 40"),
    ]


def _from_elsewhere():
    # many small matrices: what hpcc does before HPL takes the longer the larger the matrix is
    hpl = {"hpccinf.txt": hpcc.settings(size=" ".join(["160"] * 20), block=20, rows=2, columns=4).replace(
        "1            # of problems sizes", "20           # of problems sizes")}
    # the inputs of bench/profiles, smaller
    waveguide = {"waveguide.ctl": _profiled("waveguide.ctl").replace("(run-until 10)", "(run-until 4)").replace("resolution 8", "resolution 4")}
    silicon = {"silicon.in": _profiled("silicon.in").replace("4 4 4 1 1 1", "2 2 2 1 1 1").replace(
        "ecutwfc = 20.0, ecutrho = 120.0", "ecutwfc = 12.0, ecutrho = 48.0").replace(
        "&electrons\n", "&electrons\n    electron_maxstep = 2, scf_must_converge = .false.\n")}
    return [
        _lammps("cube", (24, 24, 24), 12, (2, 2, 3), 24, nodes=8),
        _lammps("cube", (24, 24, 24), 16, (4, 2, 2), 24),
        _lammps("cube", (24, 24, 24), 15, (3, 5, 1), 24, nodes=8),
        _lammps("cube", (20, 20, 20), 8, (2, 2, 2), 48, "4x4-100m"),
        _lammps("long", (10, 10, 80), 16, (2, 2, 4), 20),
        _lammps("long", (10, 10, 60), 12, (2, 2, 3), 32, nodes=8),
        _lammps("long", (10, 10, 60), 10, (1, 2, 5), 40),
        _lammps("slab", (40, 40, 6), 9, (3, 3, 1), 48),
        _lammps("slab", (40, 40, 6), 16, (4, 4, 1), 24, "4x4-100m"),
        _lammps("sheet", (48, 24, 6), 15, (5, 3, 1), 48),
        _lammps("sheet", (48, 24, 6), 12, (4, 3, 1), 56, "4x4-100m"),
        _lammps("rod", (8, 8, 96), 9, (1, 1, 9), 80),
        _lammps("rod", (8, 8, 96), 16, (1, 2, 8), 24),
        _foreign("hpcc", 8, ["hpcc"], files=hpl, preload=("short_hpcc",)),
        _foreign("quantum-espresso", 16, ["pw.x", "-nk", "2", "-in", "silicon.in"], files=silicon),
        _foreign("quantum-espresso", 12, ["pw.x", "-nk", "3", "-in", "silicon.in"], "4x4-100m", files=silicon),
        _foreign("meep", 16, ["meep", "waveguide.ctl"], files=waveguide),
        _foreign("meep", 9, ["meep", "waveguide.ctl"], "4x4-100m", files=waveguide),
    ]


def all_configurations():
    return sorted(_written_here() + _from_elsewhere(), key=lambda one: SHAPES.index(one.shape))
