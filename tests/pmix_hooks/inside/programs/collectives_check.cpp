// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Makes random collective calls of which the library in src/pmix_hooks/inside runs some, and the
// same calls with PMPI_ in front, which it does not. Their results have to be the same.
// usage: collectives_check SEED CALLS LAYOUT [COMMUNICATORS [PROGRAMS]]
//   LAYOUT: block, cyclic, random, one-more-choice or one-without
//   one-more-choice, one-without: the last rank has other choices, or none
//   COMMUNICATORS: so many are made, used and freed one after another, and then as many at once
//   PROGRAMS: so many times CALLS calls, each time with new communicators and the next seed
// Rank 0 prints "CALLS calls, WRONG wrong". The exit code is 1 when a result is wrong.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int ranks_a_node = 2;

int number_of(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? 0 : std::atoi(text);
}

/// Two ranks share a node, in one of three layouts.
void choose_node(std::string_view layout, unsigned seed) {
    const int rank = number_of("OMPI_COMM_WORLD_RANK");
    const int size = number_of("OMPI_COMM_WORLD_SIZE");
    const int nodes = (size + ranks_a_node - 1) / ranks_a_node;
    std::vector<int> node_of(static_cast<std::size_t>(size));
    for (int r = 0; r < size; ++r) {
        node_of[static_cast<std::size_t>(r)] = layout == "cyclic" ? r % nodes : r / ranks_a_node;
    }
    std::mt19937 draw(seed);
    if (layout == "random") std::shuffle(node_of.begin(), node_of.end(), draw);
    ::setenv("COMMMAP_INSIDE_NODE", std::to_string(node_of[static_cast<std::size_t>(rank)]).c_str(),
             1);
    if (rank != size - 1) return;
    if (layout == "one-more-choice") {
        ::setenv("COMMMAP_INSIDE_RULES",
                 (std::string(std::getenv("COMMMAP_INSIDE_RULES")) + "; bcast 2 1 native").c_str(),
                 1);
    }
    if (layout == "one-without") ::unsetenv("COMMMAP_INSIDE_RULES");
}

/// Tells the order of ranks by its result. It is not associative, as MPI wants, but both calls are
/// native.
void digits(void* in, void* in_out, int* count, MPI_Datatype*) {
    const auto* left = static_cast<const unsigned*>(in);
    auto* right = static_cast<unsigned*>(in_out);
    for (int i = 0; i < *count; ++i) right[i] = left[i] * 3 + right[i];
}

class Check {
public:
    explicit Check(unsigned seed)
        : shared_(seed), own_(seed + 1 + static_cast<unsigned>(rank_of(MPI_COMM_WORLD))) {
        int rank = rank_of(MPI_COMM_WORLD);
        int size = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        comms_.push_back(MPI_COMM_WORLD);
        MPI_Comm_dup(MPI_COMM_WORLD, &comms_.emplace_back());
        MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms_.emplace_back());  // reversed
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, (rank * 7) % 5, &comms_.emplace_back());
        MPI_Comm_split(MPI_COMM_WORLD, rank < size - 1 ? 0 : 1, rank, &comms_.emplace_back());
        MPI_Op_create(digits, 0, &digits_);
    }
    ~Check() {
        for (std::size_t c = 1; c < comms_.size(); ++c) MPI_Comm_free(&comms_[c]);
        MPI_Op_free(&digits_);
    }
    Check(const Check&) = delete;
    Check& operator=(const Check&) = delete;

    /// Returns whether the results of one call are the same.
    bool call() {
        const MPI_Comm comm = comms_[draw(comms_.size())];
        const int count = count_of(draw(5));
        switch (draw(5)) {
            case 0:
                return bcast(comm, count);
            case 1:
                return allgather(comm, count);
            case 2:
                return alltoall(comm, count);
            case 3:
                return reduce(comm, count);
            default:
                return allreduce(comm, count);
        }
    }
    /// Makes, uses and frees communicators.
    bool call_on_passing_communicators(int how_many) {
        bool good = true;
        for (int c = 0; c < how_many; ++c) {
            MPI_Comm passing = MPI_COMM_NULL;
            MPI_Comm_dup(MPI_COMM_WORLD, &passing);
            for (int i = 0; i < 4; ++i) good = bcast(passing, 2000) && good;
            MPI_Comm_free(&passing);
        }
        return good;
    }
    /// Keeps more communicators than this library may add to.
    bool call_on_many_communicators(int how_many) {
        bool good = true;
        std::vector<MPI_Comm> many(static_cast<std::size_t>(how_many));
        for (MPI_Comm& one : many) {
            MPI_Comm_dup(MPI_COMM_WORLD, &one);
            for (int i = 0; i < 3; ++i) good = bcast(one, 2000) && good;
        }
        for (MPI_Comm& one : many) MPI_Comm_free(&one);
        return good;
    }

private:
    static int rank_of(MPI_Comm comm) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        return rank;
    }
    std::size_t draw(std::size_t below) { return shared_() % below; }
    int count_of(std::size_t kind) {
        const std::size_t most[] = {1, 40, 400, 4000, 40000};
        return static_cast<int>(draw(most[kind]));
    }
    std::vector<int> own_values(std::size_t count) {
        std::vector<int> values(count);
        for (int& value : values) value = static_cast<int>(own_() % 1000);
        return values;
    }

    /// Ints in another layout in memory: every second one, from the second on, in blocks of two.
    struct Layout {
        MPI_Datatype type = MPI_INT;
        int elements_each = 1;  ///< ints in one of the type
        int ints_each = 1;      ///< ints of memory for one of the type
        /// Of the nth int of some elements, in ints of memory.
        [[nodiscard]] std::size_t place_of(std::size_t nth) const {
            if (ints_each == 1) return nth;
            return nth / 2 * 4 + (nth % 2 == 0 ? 3 : 1);
        }
    };
    /// Each rank describes its data as it likes. Not with many ranks: Open MPI 4.1.4's own
    /// allgather by neighbor exchange was seen to hang then, with 32 of them.
    Layout layout_for(int count, int size) {
        if (own_() % 2 == 0 || count % 2 != 0 || size > 17) return {};
        Layout layout{MPI_DATATYPE_NULL, 2, 4};
        const int lengths[] = {1, 1};
        const int offsets[] = {3, 1};  // the first element stands behind the second
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_indexed(2, lengths, offsets, MPI_INT, &pair);
        MPI_Type_create_resized(pair, 0, 4 * static_cast<MPI_Aint>(sizeof(int)), &layout.type);
        MPI_Type_commit(&layout.type);
        MPI_Type_free(&pair);
        return layout;
    }
    static void release(Layout& layout) {
        if (layout.type != MPI_INT) MPI_Type_free(&layout.type);
    }
    bool same(const std::vector<int>& a, const std::vector<int>& b) {
        return std::memcmp(a.data(), b.data(), a.size() * sizeof(int)) == 0;
    }

    /// Elements with a gap: four bytes behind each int.
    bool bcast_pairs(MPI_Comm comm, int count, int root) {
        std::vector<int> mine = own_values(static_cast<std::size_t>(count) * 4 + 4);
        std::vector<int> theirs = mine;
        MPI_Bcast(mine.data(), count, MPI_DOUBLE_INT, root, comm);
        PMPI_Bcast(theirs.data(), count, MPI_DOUBLE_INT, root, comm);
        return same(mine, theirs);
    }
    bool bcast(MPI_Comm comm, int count) {
        int size = 0;
        MPI_Comm_size(comm, &size);
        const int root = static_cast<int>(draw(static_cast<std::size_t>(size)));
        if (draw(4) == 0) return bcast_pairs(comm, count, root);
        Layout layout = layout_for(count, size);
        std::vector<int> mine = own_values(static_cast<std::size_t>(count * layout.ints_each + 4));
        std::vector<int> theirs = mine;
        const int number = count / layout.elements_each;
        MPI_Bcast(mine.data(), number, layout.type, root, comm);
        PMPI_Bcast(theirs.data(), number, layout.type, root, comm);
        release(layout);
        return same(mine, theirs);
    }
    bool allgather(MPI_Comm comm, int count) {
        int size = 0;
        MPI_Comm_size(comm, &size);
        count /= 4;
        Layout layout = layout_for(count, size);
        const auto block =
            static_cast<std::size_t>(count / layout.elements_each * layout.ints_each);
        std::vector<int> send = own_values(static_cast<std::size_t>(count) + 4);
        std::vector<int> mine = own_values(block * static_cast<std::size_t>(size) + 4);
        std::vector<int> theirs = mine;
        const bool in_place = draw(3) == 0;
        const void* from = in_place ? MPI_IN_PLACE : send.data();
        const int number = count / layout.elements_each;
        MPI_Allgather(from, count, MPI_INT, mine.data(), number, layout.type, comm);
        PMPI_Allgather(from, count, MPI_INT, theirs.data(), number, layout.type, comm);
        release(layout);
        return same(mine, theirs);
    }
    /// What the rank of a communicator sends as its nth int, so that receivers know it.
    static int value_of(int rank, std::size_t nth) {
        return rank * 1000003 + static_cast<int>(nth);
    }
    /// Open MPI 4.1.4's own call is no model here. With 16 ranks or more it takes both types of a
    /// call for one where blocks are short, so such calls have one type.
    bool alltoall(MPI_Comm comm, int count) {
        int size = 0;
        MPI_Comm_size(comm, &size);
        const int rank = rank_of(comm);
        count /= 8;
        const bool in_place = draw(4) == 0;
        Layout layout = in_place || size >= 16 ? Layout{} : layout_for(count, size);
        const int number = count / layout.elements_each;
        const auto block = static_cast<std::size_t>(count);
        const auto extent = static_cast<std::size_t>(number * layout.ints_each);
        std::vector<int> send(block * static_cast<std::size_t>(size) + 4);
        for (std::size_t n = 0; n < send.size(); ++n) send[n] = value_of(rank, n);
        std::vector<int> mine = own_values(extent * static_cast<std::size_t>(size) + 4);
        if (in_place) std::copy(send.begin(), send.end(), mine.begin());
        std::vector<int> right = mine;
        for (int from = 0; from < size; ++from) {
            for (std::size_t n = 0; n < block; ++n) {
                const std::size_t at = static_cast<std::size_t>(from) * extent + layout.place_of(n);
                right[at] = value_of(from, static_cast<std::size_t>(rank) * block + n);
            }
        }
        MPI_Alltoall(in_place ? MPI_IN_PLACE : send.data(), count, MPI_INT, mine.data(), number,
                     layout.type, comm);
        release(layout);
        return same(mine, right);
    }
    std::pair<MPI_Datatype, MPI_Op> draw_operation() {
        const std::pair<MPI_Datatype, MPI_Op> ways[] = {{MPI_INT, MPI_SUM},
                                                        {MPI_INT, MPI_MAX},
                                                        {MPI_INT, MPI_BXOR},
                                                        {MPI_2INT, MPI_MINLOC},
                                                        {MPI_INT, digits_}};
        return ways[draw(std::size(ways))];
    }
    bool allreduce(MPI_Comm comm, int count) {
        const std::vector<int> values = own_values(static_cast<std::size_t>(count) * 4 + 4);
        std::vector<int> mine = values;
        std::vector<int> theirs = values;
        const auto [type, op] = draw_operation();
        if (draw(3) == 0) {
            MPI_Allreduce(MPI_IN_PLACE, mine.data(), count, type, op, comm);
            PMPI_Allreduce(MPI_IN_PLACE, theirs.data(), count, type, op, comm);
        } else {
            MPI_Allreduce(values.data(), mine.data(), count, type, op, comm);
            PMPI_Allreduce(values.data(), theirs.data(), count, type, op, comm);
        }
        return same(mine, theirs);
    }
    /// Only the root has a result; the other ranks' buffers stay what they are.
    bool reduce(MPI_Comm comm, int count) {
        int size = 0;
        MPI_Comm_size(comm, &size);
        const int root = static_cast<int>(draw(static_cast<std::size_t>(size)));
        const std::vector<int> values = own_values(static_cast<std::size_t>(count) * 4 + 4);
        std::vector<int> mine = values;
        std::vector<int> theirs = values;
        const auto [type, op] = draw_operation();
        const bool in_place = draw(3) == 0 && rank_of(comm) == root;
        const void* from = in_place ? MPI_IN_PLACE : values.data();
        MPI_Reduce(from, mine.data(), count, type, op, root, comm);
        PMPI_Reduce(from, theirs.data(), count, type, op, root, comm);
        return same(mine, theirs);
    }

    std::mt19937 shared_;  ///< draws the same on all ranks
    std::mt19937 own_;
    std::vector<MPI_Comm> comms_;
    MPI_Op digits_ = MPI_OP_NULL;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int communicators = argc > 4 ? std::atoi(argv[4]) : 0;
    const int programs = argc > 5 ? std::atoi(argv[5]) : 1;
    const auto seed = static_cast<unsigned>(std::atoi(argv[1]));
    const int calls = std::atoi(argv[2]);
    choose_node(argv[3], seed);
    MPI_Init(&argc, &argv);
    int wrong = 0;
    for (int p = 0; p < programs; ++p) {
        Check check(seed + static_cast<unsigned>(p));
        for (int i = 0; i < calls; ++i) wrong += check.call() ? 0 : 1;
        wrong += check.call_on_passing_communicators(communicators) ? 0 : 1;
        wrong += check.call_on_many_communicators(communicators) ? 0 : 1;
    }
    int rank = 0;
    int all_wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%d calls, %d wrong\n", programs * calls, all_wrong);
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
