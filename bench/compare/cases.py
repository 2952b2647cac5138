# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""The programs of the demonstration, with sizes that fit the shape 8x2 (16 ranks, 100 Mbit/s)."""

from dataclasses import dataclass
from pathlib import Path

_BENCH = Path(__file__).resolve().parents[1]
_GRAPH = _BENCH / "programs" / "graphs" / "irregular16.graph"
_MELT = _BENCH / "lammps" / "melt.in"


@dataclass(frozen=True)
class Program:
    name: str
    ranks: int
    command: list  # without srun
    limit_s: float = 30.0  # several times what a slow placement needs


def melt(cells, grid, steps):
    variables = dict(zip(("nx", "ny", "nz"), cells)) | dict(zip(("px", "py", "pz"), grid))
    command = ["lmp", "-in", str(_MELT), "-log", "none"]
    for name, value in (variables | {"steps": steps, "warmup": 5}).items():
        command += ["-var", name, str(value)]
    return command


def demo_programs(binaries):
    """@param binaries  directory of the programs of bench/programs"""
    binaries = Path(binaries)

    def bench(name, *options):
        return [str(binaries / name), *map(str, options)]

    return [
        Program("halo2d-scrambled", 16, bench(
            "halo2d", "--grid", "4x4", "--periodic", "--scramble", 1,
            "--message-bytes", 65536, "--iterations", 22)),
        Program("halo3d-scrambled", 16, bench(
            "halo3d", "--grid", "2x2x4", "--scramble", 5,
            "--message-bytes", 65536, "--iterations", 32)),
        Program("cg", 16, bench("cg", "--message-bytes", 65536, "--iterations", 60)),
        Program("irregular", 16, bench("irregular", _GRAPH, "--scale", 4, "--iterations", 24)),
        Program("lammps-long", 16, melt((10, 10, 80), (2, 2, 4), 48), limit_s=60.0),
        Program("lammps-cube", 16, melt((24, 24, 24), (4, 2, 2), 48), limit_s=60.0),
    ]
