"""The whole way: a program is recorded, its profile changes how it is launched; and every bad profile costs one line."""

import os
import re
import shutil
import subprocess

import pytest

TAIL = "; launching as without commmap"


@pytest.fixture(autouse=True)
def _planner(cluster):
    cluster.use_planner()


@pytest.fixture(scope="module", name="recorded")
def _recorded(cluster, programs, work):
    """A directory with the profile of the ring on 16 ranks."""
    cluster.use_planner()
    place = f"{work}/recorded"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['ring']}", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0, done
    assert done.said == []
    assert len(done.lines) == 16 and all(line.endswith("right") for line in done.lines)
    return place


def profile_in(place):
    files = os.listdir(place)
    assert len(files) == 1, files
    return os.path.join(place, files[0])


def nodes(done):
    """rank -> node"""
    assert done.code == 0, done
    found = {}
    for line in done.lines:
        rank, node = re.fullmatch(r"rank (\d+) of \d+ on (m\d): right", line).groups()
        found[int(rank)] = node
    return found


BLOCK = {rank: f"m{rank // 2}" for rank in range(16)}


def test_profile_is_there(recorded):
    path = profile_in(recorded)
    assert re.fullmatch(r"(build-id|xxh128)-[0-9a-f]+-np16\.commmap", os.path.basename(path))
    assert os.stat(path).st_mode & 0o077 == 0


def test_auto_brings_partners_together(cluster, programs, recorded):
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded)
    found = nodes(done)
    assert all(found[rank] == found[rank + 8] for rank in range(8)), done
    assert found[0] == "m0"  # rank 0 stays on the first node
    assert done.said == []


def test_verbose_prints_the_plan(cluster, programs, recorded):
    done = cluster.job(f"srun --commmap=auto,verbose {programs['ring']}", COMMMAP_PROFILE_DIR=recorded)
    assert any("16 ranks on 8 nodes" in line for line in done.said), done
    assert any("chosen" in line for line in done.said), done


def test_threshold_keeps_slurms_placement(cluster, programs, recorded):
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded, COMMMAP_THRESHOLD="100")
    assert nodes(done) == BLOCK


def test_no_profile_and_other_rank_count(cluster, programs, recorded, work):
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=f"{work}/nothing")
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and done.said[0].endswith(TAIL), done
    done = cluster.job(f"srun -n8 --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded)
    assert len(nodes(done)) == 8
    assert len(done.said) == 1 and "16" in done.said[0] and done.said[0].endswith(TAIL), done


def truncate(path):
    os.truncate(path, 40)


def flip(path):
    with open(path, "r+b") as file:
        file.seek(200)
        byte = file.read(1)
        file.seek(200)
        file.write(bytes([byte[0] ^ 255]))


def empty(path):
    os.truncate(path, 0)


def directory(path):
    os.remove(path)
    os.mkdir(path)


def fifo(path):
    os.remove(path)
    os.mkfifo(path)


def newer(path):
    """The version follows the magic of eight bytes."""
    with open(path, "r+b") as file:
        content = bytearray(file.read())
        content[8] = 200
        file.seek(0)
        file.write(content)


@pytest.mark.parametrize("damage", [truncate, flip, empty, directory, fifo, newer], ids=lambda function: function.__name__)
def test_bad_profile(cluster, programs, recorded, work, damage):
    place = f"{work}/bad"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(recorded, place)
    damage(profile_in(place))
    done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=place)
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and place in done.said[0] and done.said[0].endswith(TAIL), done


def test_unreadable_profile(cluster, programs, recorded):
    path = profile_in(recorded)
    done = cluster.login("salloc", "-Q", "-N8", "-n16", "-D", "/", "srun", "--commmap=auto", programs["ring"], user="nobody",
                         COMMMAP_PROFILE_DIR=os.path.dirname(path))
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and "Permission denied" in done.said[0], done


def test_bad_cluster_yaml(cluster, programs, recorded, work):
    path = f"{work}/bad.yaml"
    with open(path, "w", encoding="utf-8") as file:
        file.write("version: 1\nswitchs: {}\n")
    for given in (path, "/nonexistent.yaml"):
        done = cluster.job(f"srun --commmap=auto {programs['ring']}", COMMMAP_PROFILE_DIR=recorded, COMMMAP_CLUSTER=given)
        assert nodes(done) == BLOCK
        assert len(done.said) == 1 and given in done.said[0] and done.said[0].endswith(TAIL), done


def test_script_has_its_own_profile(cluster, programs, work):
    place = f"{work}/script-profile"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['script']}; srun -n16 --commmap=auto {programs['script']} 20000 10",
                       COMMMAP_PROFILE_DIR=place)
    assert done.code == 0, done
    assert done.said == []
    assert os.path.basename(profile_in(place)).startswith("xxh128-")
    done.out = "\n".join(done.lines[16:])
    found = nodes(done)
    assert all(found[rank] == found[rank + 8] for rank in range(8))


def test_programs_without_mpi_leave_no_profile(cluster, programs, work):
    place = f"{work}/plain-profile"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['plain']}; srun -n16 --commmap=profile hostname", COMMMAP_PROFILE_DIR=place)
    assert done.code == 0 and len(done.lines) == 32, done
    assert done.said == []
    assert not os.path.exists(place) or os.listdir(place) == []


def test_a_rank_without_the_recorder_costs_the_profile_and_no_more(cluster, programs, work):
    place = f"{work}/one-lacks"
    done = cluster.job(f"srun -n16 --commmap=profile bash -c '[ $SLURM_PROCID != 11 ] || unset LD_PRELOAD; exec {programs['ring']}'",
                       COMMMAP_PROFILE_DIR=place)
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and "rank 11 runs without the recorder" in done.said[0], done
    assert not os.path.exists(place) or os.listdir(place) == []


@pytest.mark.parametrize("way", ["exit0", "exit3", "abort", "kill"])
def test_a_rank_that_leaves_is_not_waited_for(cluster, programs, work, way):
    """Slurm ends a step whose other ranks go on for a second: exit code and output would not be as without commmap."""
    place = f"{work}/leaves"
    plain = cluster.job(f"srun -n16 {programs['leaver']} {way}; echo $?")
    done = cluster.job(f"srun -n16 --commmap=profile {programs['leaver']} {way}; echo $?", COMMMAP_PROFILE_DIR=place)
    assert done.out == plain.out == f"rank 0 is done\n{ {'exit0': 0, 'exit3': 3, 'abort': 134, 'kill': 137}[way] }\n", done
    assert done.said == ["commmap: no profile of this run: not every rank ended through MPI_Finalize"]
    assert not os.path.exists(place) or os.listdir(place) == []


def test_ranks_agree_where_pmix_shares_no_memory(cluster, programs, work):
    place = f"{work}/no-shared-memory"
    done = cluster.job(f"srun -n16 --commmap=profile {programs['ring']}", COMMMAP_PROFILE_DIR=place, PMIX_MCA_gds="hash")
    assert done.code == 0 and done.said == [], done
    assert profile_in(place).endswith("-np16.commmap")
    done = cluster.job(f"srun -n16 --commmap=profile {programs['ring']}", COMMMAP_PROFILE_DIR=f"{work}/not-collected",
                       OMPI_MCA_pmix_base_collect_data="0")
    assert nodes(done) == BLOCK
    assert len(done.said) == 1 and "not recorded" in done.said[0], done


def test_verbose_says_where_the_profile_is(cluster, programs, work):
    done = cluster.job(f"cd {work} && srun -n16 --commmap=profile,verbose {programs['ring']}", COMMMAP_PROFILE_DIR="relative")
    assert done.code == 0, done
    assert len(done.said) == 1 and f"in '{work}/relative/" in done.said[0], done


def test_a_rank_starts_an_mpi_program_of_its_own(cluster, programs, work):
    """The profile is the step's, not that of the one process that the script starts first or last."""
    place = f"{work}/tools"
    done = cluster.job(f"srun -n16 --commmap=profile bash -c 'PMIX_NAMESPACE= PMIX_RANK= {programs['ring']} >/dev/null; {programs['ring']}'",
                       COMMMAP_PROFILE_DIR=place)
    assert done.code == 0, done
    assert profile_in(place).endswith("-np16.commmap")


def test_a_preload_of_the_users_stays(cluster, work):
    done = cluster.job("srun -n1 bash -c 'echo $LD_PRELOAD'; srun -n1 --commmap=profile bash -c 'echo $LD_PRELOAD; srun -n1 --overlap env | grep -e ^COMMMAP_RECORD -e ^LD_PRELOAD'",
                       COMMMAP_PROFILE_DIR=f"{work}/preload")
    plain, recorded, *nested = done.lines
    assert recorded == plain.strip(":") + f":{cluster.prefix}/lib/commmap/libcommmap_hooks_ompi.so"
    assert nested == [f"LD_PRELOAD={plain}"], done  # a step inside is not recorded


def test_command_line_finds_the_profile(cluster, recorded):
    done = subprocess.run([f"{cluster.prefix}/bin/commmap", "profile", "list", "--profile-dir", recorded], capture_output=True, text=True, check=True)
    assert "16" in done.stdout
