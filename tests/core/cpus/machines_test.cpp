// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Places of tasks on real machines: as expected (tests/data/machines/NAME.expected, looked through
// by eye; rewritten by a run with COMMMAP_REWRITE_EXPECTED=1), and right by what hwloc itself says
// about them.
#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "core/cpus/cpu_places.hpp"
#include "core/cpus/hwloc_cpus.hpp"
#include "core/cpus/machine.hpp"

namespace commmap {
namespace {

using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeWith<hwloc_bitmap_free>>;

struct Case {
    std::string what;
    std::vector<unsigned> allowed;  ///< in hwloc's order
    std::uint32_t num_tasks = 0;
    std::uint32_t cpus_per_task = 0;
};

Bitmap bitmap_of(const std::vector<unsigned>& cpus) {
    Bitmap bitmap(hwloc_bitmap_alloc());
    for (const unsigned cpu : cpus) hwloc_bitmap_set(bitmap.get(), cpu);
    return bitmap;
}

std::uint32_t num_common(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b) {
    const Bitmap common(hwloc_bitmap_alloc());
    hwloc_bitmap_and(common.get(), a, b);
    return static_cast<std::uint32_t>(hwloc_bitmap_weight(common.get()));
}

std::uint32_t num_objects_with(const Machine& machine, hwloc_obj_type_t type,
                               hwloc_const_bitmap_t cpus) {
    std::uint32_t count = 0;
    for (const hwloc_obj_t object : machine.objects(type))
        count += hwloc_bitmap_intersects(object->cpuset, cpus) != 0 ? 1 : 0;
    return count;
}

/// CPUs of the first of the smallest caches that several cores share; 0 without one.
std::uint32_t cpus_of_shared_cache(const Machine& machine) {
    for (const hwloc_obj_type_t type : {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
        for (const hwloc_obj_t cache : machine.objects(type)) {
            if (num_objects_with(machine, HWLOC_OBJ_CORE, cache->cpuset) > 1)
                return static_cast<std::uint32_t>(machine.cpus_of(cache).size());
        }
    }
    return 0;
}

/// The division of some CPUs among tasks in the ways that jobs do it.
void add_cases(const Machine& machine, const std::string& what,
               const std::vector<unsigned>& allowed, std::vector<Case>& cases) {
    const auto cpus = static_cast<std::uint32_t>(allowed.size());
    if (cpus == 0) return;
    const Bitmap set = bitmap_of(allowed);
    const auto add = [&](std::uint32_t tasks, std::uint32_t each) {
        if (tasks > 0 && each > 0 && tasks <= cpus / each)
            cases.push_back({what, allowed, tasks, each});
    };
    const std::uint32_t cores = num_objects_with(machine, HWLOC_OBJ_CORE, set.get());
    const std::uint32_t numa = num_objects_with(machine, HWLOC_OBJ_NUMANODE, set.get());
    const std::uint32_t cache = cpus_of_shared_cache(machine);
    add(cpus, 1);
    add(cores, 1);
    if (cores > 0 && cores < cpus) add(cores, cpus / cores);
    if (numa > 1) add(numa, cpus / numa);
    if (numa > 1) add(numa - 1, 1);
    if (cache > 0) add(cpus / cache, cache);
    add(cpus / 3, 3);
    add(cpus / 6, 3);
    add(cpus / 5, 5);
}

std::vector<Case> cases_of(const Machine& machine) {
    const std::vector<unsigned> all = machine.cpus();
    std::vector<unsigned> half;
    const auto packages = machine.objects(HWLOC_OBJ_PACKAGE);
    for (std::size_t p = 0; p < packages.size() / 2; ++p) {
        const auto cpus = machine.cpus_of(packages[p]);
        half.insert(half.end(), cpus.begin(), cpus.end());
    }
    std::vector<unsigned> one_thread;
    std::vector<unsigned> every_second;
    for (const hwloc_obj_t core : machine.objects(HWLOC_OBJ_CORE)) {
        const auto cpus = machine.cpus_of(core);
        one_thread.push_back(cpus.front());
        if (core->logical_index % 2 == 1)
            every_second.insert(every_second.end(), cpus.begin(), cpus.end());
    }
    if (one_thread.size() == all.size()) one_thread.clear();
    // begins and ends amid cores and caches
    const std::size_t third = all.size() / 3;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 5 + 1);
    const std::vector<unsigned> ragged(begin, begin + static_cast<std::ptrdiff_t>(third));
    std::vector<unsigned> confined;
    for (const unsigned cpu : all) {
        if (hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(machine.topology()), cpu) != 0)
            confined.push_back(cpu);
    }
    if (confined == all) confined.clear();

    std::vector<Case> cases;
    add_cases(machine, "all", all, cases);
    add_cases(machine, "half of the packages", half, cases);
    add_cases(machine, "one thread of each core", one_thread, cases);
    add_cases(machine, "every second core", every_second, cases);
    add_cases(machine, "a third, ragged", ragged, cases);
    add_cases(machine, "what the control group leaves", confined, cases);
    return cases;
}

std::vector<CpuSet> places_of(const Machine& machine, const Case& c) {
    const auto node = part_of_node(cpus_of_topology(machine.topology()), sorted(c.allowed));
    if (!node) {
        ADD_FAILURE() << node.error().message;
        return {};
    }
    const auto places = divide_cpus(node.value().tree, c.num_tasks, c.cpus_per_task);
    if (!places) {
        ADD_FAILURE() << places.error().message;
        return {};
    }
    std::vector<CpuSet> found;
    for (const CpuPlace& place : places.value()) {
        CpuSet cpus;
        for (const std::uint32_t cpu : place) cpus.push_back(node.value().os_index[cpu]);
        found.push_back(sorted(std::move(cpus)));
    }
    return found;
}

std::string heading(const Case& c) {
    return c.what + ", " + std::to_string(c.allowed.size()) +
           " CPUs: " + std::to_string(c.num_tasks) + " of " + std::to_string(c.cpus_per_task);
}

/// "0-3,8 4-7,9 ..." in lines of at most 100 columns.
std::string text_of(const std::vector<CpuSet>& places) {
    std::string text;
    std::string line;
    for (const CpuSet& place : places) {
        const Bitmap bitmap = bitmap_of(place);
        char* list = nullptr;
        hwloc_bitmap_list_asprintf(&list, bitmap.get());
        const std::string cpus = std::string(" ") + list;
        std::free(list);
        if (line.size() + cpus.size() > 100) {
            text += line + "\n";
            line.clear();
        }
        line += cpus;
    }
    return text + line + "\n";
}

class Machines : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        NEEDS_MACHINES();
        machine_.emplace(GetParam());
        ASSERT_TRUE(machine_->loaded()) << machine_->file();
    }

    std::optional<Machine> machine_;
};

TEST_P(Machines, PlacesAreAsExpected) {
    std::string found;
    for (const Case& c : cases_of(*machine_))
        found += heading(c) + "\n" + text_of(places_of(*machine_, c));
    const std::string path = std::string(COMMMAP_TEST_DATA "/machines/") + GetParam() + ".expected";

    if (std::getenv("COMMMAP_REWRITE_EXPECTED") != nullptr) std::ofstream(path) << found;
    std::ostringstream expected;
    expected << std::ifstream(path).rdbuf();

    EXPECT_EQ(found, expected.str());
}

TEST_P(Machines, NoCpuIsUsedTwiceOrNotAllowed) {
    for (const Case& c : cases_of(*machine_)) {
        const auto places = places_of(*machine_, c);

        ASSERT_EQ(places.size(), c.num_tasks) << heading(c);
        const std::set<unsigned> allowed(c.allowed.begin(), c.allowed.end());
        std::set<unsigned> used;
        for (const CpuSet& place : places) {
            ASSERT_EQ(place.size(), c.cpus_per_task) << heading(c);
            used.insert(place.begin(), place.end());
        }
        EXPECT_EQ(used.size(), std::size_t{c.num_tasks} * c.cpus_per_task) << heading(c);
        EXPECT_TRUE(std::includes(allowed.begin(), allowed.end(), used.begin(), used.end()))
            << heading(c);
    }
}

/// How many places lie inside an object.
std::uint32_t num_inside(hwloc_obj_t object, const std::vector<Bitmap>& places) {
    return static_cast<std::uint32_t>(
        std::count_if(places.begin(), places.end(), [&](const Bitmap& place) {
            return hwloc_bitmap_isincluded(place.get(), object->cpuset) != 0;
        }));
}

TEST_P(Machines, APlaceCrossesAnEdgeOnlyWhenBothSidesAreFull) {
    for (const Case& c : cases_of(*machine_)) {
        const Bitmap allowed = bitmap_of(c.allowed);
        std::vector<Bitmap> places;
        for (const CpuSet& place : places_of(*machine_, c)) places.push_back(bitmap_of(place));
        for (const Bitmap& place : places) {
            const hwloc_obj_t cover =
                hwloc_get_obj_covering_cpuset(machine_->topology(), place.get());
            ASSERT_NE(cover, nullptr);
            for (unsigned i = 0; i < cover->arity; ++i) {
                const hwloc_obj_t part = cover->children[i];
                EXPECT_EQ(num_inside(part, places),
                          num_common(part->cpuset, allowed.get()) / c.cpus_per_task)
                    << heading(c);
            }
        }
    }
}

TEST_P(Machines, EqualPartsHaveEquallyManyPlaces) {
    for (const Case& c : cases_of(*machine_)) {
        const Bitmap allowed = bitmap_of(c.allowed);
        std::vector<Bitmap> places;
        for (const CpuSet& place : places_of(*machine_, c)) places.push_back(bitmap_of(place));
        for (const hwloc_obj_type_t type :
             {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_CORE}) {
            std::map<std::pair<hwloc_obj_t, std::uint32_t>, std::set<std::uint32_t>> counts;
            for (const hwloc_obj_t object : machine_->objects(type)) {
                hwloc_obj_t parent = object->parent;
                // of a NUMA node: the object that its memory belongs to
                if (type == HWLOC_OBJ_NUMANODE) parent = parent->parent;
                const std::uint32_t cpus = num_common(object->cpuset, allowed.get());
                counts[{parent, cpus}].insert(num_inside(object, places));
            }
            for (const auto& [siblings, numbers] : counts)
                EXPECT_LE(*numbers.rbegin() - *numbers.begin(), 1U)
                    << heading(c) << ": " << hwloc_obj_type_string(type);
        }
    }
}

TEST_P(Machines, TasksShareNoCoreWhenThereIsOneMore) {
    const auto cores = machine_->objects(HWLOC_OBJ_CORE);
    const bool two_threads = std::all_of(cores.begin(), cores.end(), [&](hwloc_obj_t core) {
        return machine_->cpus_of(core).size() == 2;
    });
    if (!two_threads || cores.empty()) return;
    const auto half = static_cast<std::uint32_t>(cores.size() / 2);
    std::vector<unsigned> used;

    for (const CpuSet& place : places_of(*machine_, {"all", machine_->cpus(), half, 3}))
        used.insert(used.end(), place.begin(), place.end());

    EXPECT_EQ(num_objects_with(*machine_, HWLOC_OBJ_CORE, bitmap_of(used).get()), 2 * half);
}

TEST_P(Machines, ACpuThatIsOfflineIsRefused) {
    const Bitmap offline(hwloc_bitmap_alloc());
    hwloc_bitmap_andnot(offline.get(), hwloc_topology_get_complete_cpuset(machine_->topology()),
                        hwloc_topology_get_topology_cpuset(machine_->topology()));
    if (std::string_view(GetParam()).find("offline") != std::string_view::npos) {
        EXPECT_EQ(hwloc_bitmap_iszero(offline.get()), 0);
    }
    for (int cpu = hwloc_bitmap_first(offline.get()); cpu >= 0;
         cpu = hwloc_bitmap_next(offline.get(), cpu)) {
        const auto node =
            part_of_node(cpus_of_topology(machine_->topology()),
                         sorted({machine_->cpus().front(), static_cast<unsigned>(cpu)}));
        ASSERT_FALSE(node) << cpu;
        EXPECT_EQ(node.error().code, Errc::not_found);
    }
}

INSTANTIATE_TEST_SUITE_P(Hwloc, Machines, testing::ValuesIn(machine_names),
                         [](const auto& machine) { return test_name(machine.param); });

TEST(MachineNames, AreThoseThatAreFetched) {
    NEEDS_MACHINES();
    std::set<std::string> fetched;
    for (const auto& entry : std::filesystem::directory_iterator(machines_directory())) {
        if (entry.path().extension() == ".xml") fetched.insert(entry.path().stem());
    }
    EXPECT_EQ(fetched, std::set<std::string>(std::begin(machine_names), std::end(machine_names)));
}

}  // namespace
}  // namespace commmap
