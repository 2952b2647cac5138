# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Which tests depend on the release of Slurm, and by what: they have the marker `release`.

scripts/test runs all tests with the machine's own release and these with another one; scripts/test --all runs all with each.
A test belongs here when a mistake in one of these would be seen with one release only: slurm_rules.hpp (how srun reads a
launch), slurm_calls.cpp (the library's functions), the interface that plugins are built for, or the MPI that comes with it.
"""

# start of the test's id, without its folder -> by what it depends on the release
DEPENDS = {
    "test_allocations.py::test_jobid_from_outside": "slurm_get_job_steps(), slurm_load_job()",
    "test_installed.py": "the plugin is built for the release",
    "test_layouts.py": "all of slurm_rules.hpp: tasks, CPUs and nodes of a step",
    "test_machine_files.py::test_open_mpi[": "Open MPI 5 reads rankfiles in its own way",
    "test_mpich.py": "pmi2_loses_nodes",
    "test_never_stuck.py::test_built_for_another_slurm": "what a release says of a plugin that is not for it",
    "test_partial.py::test_what_was_recorded_is_kept[a rank is killed]": "Open MPI 5 ends the other ranks",
    "test_placement.py::test_a_part_of_the_job": "nodes_in_turn",
    "test_placement.py::test_order_and_binding": "SPANK's hooks of srun and of tasks",
    "test_recorded.py::test_auto_brings_partners_together": "the recorder in the release's MPI",
    "test_recorded.py::test_every_mpi_and_language_is_recorded_alike[mpich-c]": "MPICH's calls and handles",
    "test_recorded.py::test_every_mpi_and_language_is_recorded_alike[openmpi-c]": "Open MPI's calls and handles",
    "test_recorded.py::test_every_mpi_and_language_is_recorded_alike[openmpi-f08]": "Open MPI's Fortran interface, which has another ABI from 5.0 on",
    "test_recorded.py::test_ranks_agree_where_pmix_shares_no_memory": "PMIx",
    "test_standalone.py": "order of allocation, step and tasks in srun",
    "test_task_environment.py::test_environment": "variables that srun sets for tasks",
    "test_unharmed.py::test_signals_while": "how srun takes signals",
}


def row_of(test):
    """The row that a test belongs to (FILE.py::NAME), or None."""
    return next((start for start in DEPENDS if test.startswith(start)), None)
