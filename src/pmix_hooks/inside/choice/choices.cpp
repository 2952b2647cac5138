// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/inside/choice/choices.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/number.hpp"

namespace commmap::inside {
namespace {

/// A communicator of more ranks would need too much memory for the order of its ranks.
constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24U;
constexpr std::uint64_t least_segment_bytes = 256;
constexpr std::uint64_t most_segment_bytes = std::uint64_t{1} << 30U;

std::vector<std::string_view> words_of(std::string_view text) {
    const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    std::vector<std::string_view> words;
    auto begin = std::find_if_not(text.begin(), text.end(), is_space);
    while (begin != text.end()) {
        const auto end = std::find_if(begin, text.end(), is_space);
        words.emplace_back(begin, end);
        begin = std::find_if_not(end, text.end(), is_space);
    }
    return words;
}

std::optional<CollectiveOp> operation_of(std::string_view word) {
    for (const CollectiveOp op :
         {CollectiveOp::bcast, CollectiveOp::allgather, CollectiveOp::allreduce}) {
        if (word == collective_name(op)) return op;
    }
    return std::nullopt;
}

std::optional<AlgorithmKind> kind_of(std::string_view word, CollectiveOp op) {
    if (word == "native") return AlgorithmKind::native;
    if (word == "chain" && op == CollectiveOp::bcast) return AlgorithmKind::chain;
    if (word == "ring" && op != CollectiveOp::bcast) return AlgorithmKind::ring;
    return std::nullopt;
}

Error is_no_rule(std::string_view text, const char* why) {
    return Error{Errc::invalid_input, "rule '" + std::string(text) + "': " + why};
}

}  // namespace

Result<Choices::Rule> Choices::parse_rule(std::string_view text) {
    const std::vector<std::string_view> words = words_of(text);
    if (words.size() < 4) {
        return is_no_rule(text, "expected OPERATION RANKS BYTES ALGORITHM [SEGMENT]");
    }
    const auto op = operation_of(words[0]);
    if (!op) return is_no_rule(text, "the operation is none of bcast, allgather, allreduce");
    const auto ranks = parse_number(words[1]);
    if (!ranks || *ranks < 2 || *ranks > most_ranks) {
        return is_no_rule(text, "the number of ranks is not from 2 to 2^24");
    }
    const auto bytes = parse_number(words[2]);
    if (!bytes || *bytes == never) return is_no_rule(text, "BYTES is no number of bytes");
    const auto kind = kind_of(words[3], *op);
    if (!kind) return is_no_rule(text, "the operation has no such algorithm");
    Rule rule{*op, static_cast<std::uint32_t>(*ranks), *bytes, {*kind, 0}};
    const bool has_segment = *kind == AlgorithmKind::chain;
    if (words.size() != (has_segment ? 5 : 4)) {
        return is_no_rule(text, has_segment ? "a chain needs SEGMENT, and nothing behind it"
                                            : "nothing may stand behind this algorithm");
    }
    if (!has_segment) return rule;
    const auto segment = parse_number(words[4]);
    if (!segment || *segment < least_segment_bytes || *segment > most_segment_bytes) {
        return is_no_rule(text, "SEGMENT is not from 256 to 2^30 bytes");
    }
    rule.algorithm.segment_bytes = static_cast<std::uint32_t>(*segment);
    return rule;
}

Result<Choices> Choices::parse(std::string_view text) {
    Choices choices;
    choices.least_bytes_.fill(never);
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(';'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        if (words_of(one).empty()) continue;
        auto rule = parse_rule(one);
        if (!rule) return rule.error();
        choices.rules_.push_back(rule.value());
    }
    const auto key = [](const Rule& rule) {
        return std::tuple(rule.op, rule.ranks, rule.from_bytes);
    };
    std::vector<Rule>& rules = choices.rules_;
    std::sort(rules.begin(), rules.end(),
              [&](const Rule& a, const Rule& b) { return key(a) < key(b); });
    const auto twice = std::adjacent_find(
        rules.begin(), rules.end(), [&](const Rule& a, const Rule& b) { return key(a) == key(b); });
    if (twice != rules.end()) {
        return Error{Errc::invalid_input,
                     "two rules for " + std::string(collective_name(twice->op)) + " " +
                         std::to_string(twice->ranks) + " " + std::to_string(twice->from_bytes)};
    }
    for (const Rule& rule : rules) {
        std::uint64_t& least = choices.least_bytes_[static_cast<std::size_t>(rule.op)];
        if (rule.algorithm.kind != AlgorithmKind::native) least = std::min(least, rule.from_bytes);
    }
    return choices;
}

Algorithm Choices::find(CollectiveOp op, int ranks, std::uint64_t bytes) const noexcept {
    const auto number = static_cast<std::uint32_t>(ranks);
    const auto behind =
        std::upper_bound(rules_.begin(), rules_.end(), std::tuple(op, number, bytes),
                         [](const auto& asked, const Rule& rule) {
                             return asked < std::tuple(rule.op, rule.ranks, rule.from_bytes);
                         });
    if (behind == rules_.begin()) return {};
    const Rule& rule = *std::prev(behind);
    return rule.op == op && rule.ranks == number ? rule.algorithm : Algorithm{};
}

}  // namespace commmap::inside
