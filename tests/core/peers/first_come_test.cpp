// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/first_come.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/peers/matrices.hpp"

namespace commmap {
namespace {

TEST(FirstCome, TheFirstMessagesDoNotGoByTheConnection) {
    const FirstCome come = first_come(matrix_of({{{{1, 20}, {2, 16}, {3, 15}}, {}, {}, {}}}));

    EXPECT_EQ(come.interleaved.with(1), 4u);
    EXPECT_EQ(come.interleaved.with(2), 4u) << "nothing is left for the second connection";
    EXPECT_EQ(come.interleaved.with(16), 4u);
}

TEST(FirstCome, TheFasterPeerIsFirstAndTheLowerOneOfTwo) {
    // Message 3 goes at 3/4, 3/9, 3/6 and 3/6 of the phase.
    const PriorityMatrix matrix = matrix_of({{{{1, 4}, {2, 9}, {3, 6}, {4, 6}}, {}, {}, {}, {}}});

    const Coverage come = first_come(matrix, 3).interleaved;

    EXPECT_EQ(come.with(1), 6u);
    EXPECT_EQ(come.with(2), 6u + 3);
    EXPECT_EQ(come.with(3), 6u + 3 + 3);
    EXPECT_EQ(come.with(4), 6u + 3 + 3 + 1);
}

TEST(FirstCome, OneWhoCameFirstKeepsItsConnection) {
    // Peer 1 reaches four messages in the first phase, and peer 2 in the second.
    const PriorityMatrix matrix = matrix_of({{{{1, 5}, {2, 3}}, {}, {}}, {{{2, 90}}, {}, {}}});

    const FirstCome come = first_come(matrix, 4);

    EXPECT_EQ(come.interleaved.with(1), 1u);
    EXPECT_EQ(come.interleaved.with(2), 1u + 89);
    // The other order would have been better, so this one is the worst.
    EXPECT_EQ(come.worst.with(1), 1u);
}

TEST(FirstCome, MessagesOfEarlierPhasesCount) {
    // In the second phase peer 2 needs one more message, at 1/10, and peer 1 four, at 4/20.
    const PriorityMatrix matrix = matrix_of({{{{2, 3}}, {}, {}}, {{{1, 20}, {2, 10}}, {}, {}}});

    EXPECT_EQ(first_come(matrix, 4).interleaved.with(1), 9u);
}

TEST(FirstCome, CountsAtTheReceiverWithRowsOfReceivers) {
    // Rank 0 gets from 1 and 2; each of these has one peer.
    const PriorityMatrix matrix = matrix_of({{{}, {{0, 30}}, {{0, 20}}}});

    EXPECT_EQ(first_come(matrix).interleaved.with(1), 14u + 4);
    EXPECT_EQ(first_come(by_receiver(matrix)).interleaved.with(1), 14u);
    EXPECT_EQ(first_come(by_receiver(matrix)).worst.with(1), 4u);
}

TEST(FirstCome, CountsBeyond64BitsWhenItCompares) {
    constexpr std::uint64_t many = UINT64_MAX / 2;
    constexpr std::uint64_t fewer = UINT64_MAX / 4;

    EXPECT_EQ(first_come(matrix_of({{{{1, fewer}, {2, many}}, {}, {}}})).interleaved.with(1),
              many - 16);
    EXPECT_EQ(first_come(matrix_of({{{{1, many}, {2, fewer}}, {}, {}}})).interleaved.with(1),
              many - 16);
}

/// Sends messages one by one. Connections are made at the threshold while there is room.
class Sender {
public:
    Sender(std::size_t most, std::uint64_t threshold) : most_(most), threshold_(threshold) {}
    void send(RankId peer) {
        if (connected_.contains(peer)) {
            ++carried_;
            return;
        }
        if (connected_.size() < most_ && ++sent_[peer] == threshold_) connected_.insert(peer);
    }
    [[nodiscard]] std::uint64_t carried() const { return carried_; }

private:
    std::size_t most_;
    std::uint64_t threshold_;
    std::uint64_t carried_ = 0;
    std::map<RankId, std::uint64_t> sent_;
    std::set<RankId> connected_;
};

/// The peers of a rank's messages in a phase, evenly interleaved.
std::vector<RankId> interleaved(std::span<const Priority> row) {
    struct Sent {
        std::uint64_t number, messages;
        RankId peer;
    };
    std::vector<Sent> all;
    for (const Priority& entry : row)
        for (std::uint64_t number = 1; number <= entry.messages; ++number)
            all.push_back({number, entry.messages, entry.peer});
    std::sort(all.begin(), all.end(), [](const Sent& a, const Sent& b) {
        const auto at_a = a.number * b.messages, at_b = b.number * a.messages;
        return at_a != at_b ? at_a < at_b : a.peer < b.peer;
    });
    std::vector<RankId> peers;
    for (const Sent& sent : all) peers.push_back(sent.peer);
    return peers;
}

TEST(FirstCome, AgreesWithMessagesSentOneByOne) {
    std::mt19937 random(37);
    for (int round = 0; round < 30; ++round) {
        const PriorityMatrix matrix = random_matrix(2 + random() % 22, 3, 0.8, 12, random);
        const std::uint64_t threshold = 1 + random() % 9;
        const FirstCome come = first_come(matrix, threshold);
        for (std::size_t most = 1; most <= most_connections; ++most) {
            std::uint64_t carried = 0;
            std::uint64_t shuffled = 0;
            for (RankId rank = 0; rank < matrix.num_ranks; ++rank) {
                Sender in_order(most, threshold);
                Sender in_any_order(most, threshold);
                std::vector<RankId> all;
                for (const PriorityRows& phase : matrix.phases)
                    for (const RankId peer : interleaved(phase.of(rank))) {
                        in_order.send(peer);
                        all.push_back(peer);
                    }
                std::shuffle(all.begin(), all.end(), random);
                for (const RankId peer : all) in_any_order.send(peer);
                carried += in_order.carried();
                shuffled += in_any_order.carried();
            }

            EXPECT_EQ(come.interleaved.with(most), carried);
            EXPECT_LE(come.worst.with(most), carried);
            EXPECT_LE(come.worst.with(most), shuffled);
        }
    }
}

TEST(FirstCome, TheWorstOrderIsOneOfThoseThatThereAre) {
    std::mt19937 random(41);
    for (int round = 0; round < 30; ++round) {
        // One sender with at most five peers: every order of the peers, one after the other.
        std::vector<std::vector<Priority>> rows(6);
        for (RankId peer = 1; peer < 6; ++peer)
            if (random() % 4 > 0) rows[0].push_back({peer, 1 + random() % 12});
        const PriorityMatrix matrix = matrix_of({rows});
        const std::uint64_t threshold = 1 + random() % 6;
        const FirstCome come = first_come(matrix, threshold);
        for (std::size_t most = 1; most <= 5; ++most) {
            std::vector<std::size_t> order(rows[0].size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::uint64_t least = UINT64_MAX;
            do {
                Sender sender(most, threshold);
                for (const std::size_t i : order)
                    for (std::uint64_t n = 0; n < rows[0][i].messages; ++n)
                        sender.send(rows[0][i].peer);
                least = std::min(least, sender.carried());
            } while (std::next_permutation(order.begin(), order.end()));

            EXPECT_EQ(come.worst.with(most), least);
        }
    }
}

}  // namespace
}  // namespace commmap
