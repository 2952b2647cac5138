# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""One launch plain and one with --commmap=auto at the same time, each in a job of four of the eight nodes: for what takes
Slurm long, and for what is asked about a whole job afterwards."""

import os
import shutil

from beside import Run
from cluster import Done, NODES

SCRIPT = """
cd {directory}
while squeue -h | grep -q .; do sleep 0.05; done
for which in plain auto; do
    option=; [ $which = auto ] && option=--commmap=auto
    mkdir -m 777 $which
    touch $which/out
    {start}
done
until [ $(ls plain/place.* auto/place.* 2> /dev/null | wc -l) = 16 ]; do sleep 0.05; done
{action}
while squeue -h | grep -q .; do sleep 0.1; done
wait
"""
# rank leaves {directory}/$which/place.N
START = {
    "standalone": "{{ srun -J $which-{name} -N4 -n8 -t 20 $option {rank} {directory}/$which {command} > $which/out 2> $which/err; "
                  "echo $? > $which/code; }} &",
    "allocation": "echo 0 > $which/code; sbatch -Q -J $which-{name} -N4 -n8 -t 20 -o {directory}/$which/err --wrap "
                  "\"srun $option {rank} {directory}/$which {command}\"",
}


def run(cluster, work, rank, where, name, command="", action="true"):
    """(plain, auto): exit codes only where srun stands alone. {command}: words for rank.c; action: shell, when all run."""
    directory = os.path.join(work, "halves")
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    start = START[where].format(name=name, rank=rank, directory=directory, command=command)
    done = cluster.login("bash", "-c", SCRIPT.format(directory=directory, start=start, action=action),
                         XDG_CACHE_HOME=cluster.some_profiles())
    assert done.code == 0, done

    def result(which):
        def content(file_name):
            with open(os.path.join(directory, which, file_name), encoding="utf-8") as file:
                return file.read()
        places = {task: content(f"place.{task}").strip() for task in range(8)}
        return Run(Done(int(content("code")), content("out"), content("err")), places, directory)
    return result("plain"), result("auto")


def check_places(plain, auto):
    """Which nodes a job gets is up to Slurm; in which order is not. A job that ends at once leaves its nodes to the other one."""
    both = [[each.places[task] for task in range(8)] for each in (plain, auto)]
    for nodes in both:
        assert set(nodes) <= set(NODES) and sorted(nodes) == sorted([*set(nodes)] * 2), both
    assert both[0] == sorted(both[0]), plain
    assert both[1] == sorted(both[1], reverse=True), auto
