// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/message_list.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "core/profile/format/profile_codec.hpp"

namespace commmap {

Status ImportedSums::add(std::uint64_t count, std::uint64_t bytes) {
    if (!__builtin_add_overflow(count_, count, &count_) &&
        !__builtin_add_overflow(bytes_, bytes, &bytes_))
        return Ok{};
    return Error{Errc::out_of_range, "all messages up to here are more than 64 bits can count"};
}

Status MessageList::add(RankId source, RankId destination, std::uint64_t count,
                        std::uint64_t bytes) {
    note_rank(source);
    note_rank(destination);
    if (count == 0) return Ok{};
    messages_.push_back({source, destination, count, bytes});
    return sums_->add(count, bytes);
}

void MessageList::note_rank(RankId rank) {
    num_ranks_ = std::max(num_ranks_, std::size_t{rank} + 1);
}

TrafficMatrix MessageList::rows(std::size_t num_ranks) const {
    return rows_of(num_ranks, messages_);
}

Result<std::size_t> imported_ranks(std::size_t highest, std::size_t asked, std::size_t lines) {
    constexpr std::size_t always = 1024;
    constexpr std::size_t ranks_a_line = 16;
    if (asked > max_profile_ranks)
        return Error{Errc::out_of_range,
                     fmt::format("{} ranks are more than the {} that a profile can have", asked,
                                 max_profile_ranks)};
    if (asked > 0 && highest > asked)
        return Error{
            Errc::out_of_range,
            fmt::format("there is a rank {}, but --ntasks says {} ranks", highest - 1, asked)};
    if (asked > 0) return asked;
    if (highest == 0) return Error{Errc::invalid_input, "there are no messages"};
    if (highest > always && highest / ranks_a_line > lines)
        return Error{
            Errc::out_of_range,
            fmt::format(
                "there is a rank {}, but only {} lines: if the job had {} ranks, give --ntasks {}",
                highest - 1, lines, highest, highest)};
    return highest;
}

Profile profile_of_messages(const MessageList& messages, std::size_t num_ranks) {
    Profile profile;
    profile.ranks.resize(num_ranks);
    profile.phases.emplace_back().sent = messages.rows(num_ranks);
    return profile;
}

}  // namespace commmap
