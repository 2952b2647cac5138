// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/choices.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/number.hpp"
#include "core/inside/tuned_algorithms.hpp"

namespace commmap::inside {
namespace {

/// A communicator of more ranks would need too much memory for the order of its ranks.
constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24U;
constexpr std::uint64_t least_segment_bytes = 256;
constexpr std::uint64_t most_segment_bytes = std::uint64_t{1} << 30U;
constexpr std::string_view for_library = "for";

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

/// Joins words by single blanks: two versions of a name may differ in blanks alone.
std::string joined(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) {
        if (!text.empty()) text += ' ';
        text += word;
    }
    return text;
}

/// Returns the name of a library without what divides the text that tasks get.
std::string plain_name(std::string_view name) {
    std::string plain(name);
    for (char& c : plain)
        if (c == ';' || c == ':' || c == ',') c = ' ';
    return joined(words_of(plain));
}

std::optional<AlgorithmKind> kind_of(std::string_view word, CollectiveOp op) {
    if (word == "native") return AlgorithmKind::native;
    if (word == "tuned") return AlgorithmKind::tuned;
    if (word == "chain" && op == CollectiveOp::bcast) return AlgorithmKind::chain;
    if (word == "ring" && (op == CollectiveOp::allgather || op == CollectiveOp::allreduce)) {
        return AlgorithmKind::ring;
    }
    return std::nullopt;
}

Error invalid(std::string message) { return Error{Errc::invalid_input, std::move(message)}; }

Error is_no_rule(std::string_view text, const std::string& why) {
    return invalid("rule '" + std::string(text) + "': " + why);
}

Result<std::uint32_t> segment_of(std::string_view word) {
    const auto segment = parse_number(word);
    if (!segment || *segment < least_segment_bytes || *segment > most_segment_bytes) {
        return invalid("SEGMENT is not from 256 to 2^30 bytes");
    }
    return static_cast<std::uint32_t>(*segment);
}

/// @param words  behind "tuned"
Result<Algorithm> tuned_of(CollectiveOp op, std::span<const std::string_view> words) {
    if (words.empty()) return invalid("tuned needs the name of an algorithm");
    const TunedAlgorithm* const found = find_tuned(op, words[0]);
    if (found == nullptr) {
        std::string names;
        for (const TunedAlgorithm& one : tuned_algorithms(op))
            names += (names.empty() ? "" : ", ") + std::string(one.name);
        return invalid("the operation has these algorithms of coll/tuned: " + names);
    }
    if (words.size() > (found->has_segments ? 2 : 1)) {
        return invalid("nothing may stand behind this algorithm");
    }
    Algorithm algorithm{AlgorithmKind::tuned, 0, found->number};
    if (words.size() == 1) return algorithm;
    const auto segment = segment_of(words[1]);
    if (!segment) return segment.error();
    algorithm.segment_bytes = segment.value();
    return algorithm;
}

/// @param words  the algorithm's, at least one
Result<Algorithm> algorithm_of(CollectiveOp op, std::span<const std::string_view> words) {
    const auto kind = kind_of(words.front(), op);
    if (!kind) return invalid("the operation has no such algorithm");
    if (*kind == AlgorithmKind::tuned) return tuned_of(op, words.subspan(1));
    const bool has_segment = *kind == AlgorithmKind::chain;
    if (words.size() != (has_segment ? 2 : 1)) {
        return invalid(has_segment ? "a chain needs SEGMENT, and nothing behind it"
                                   : "nothing may stand behind this algorithm");
    }
    Algorithm algorithm{*kind};
    if (!has_segment) return algorithm;
    const auto segment = segment_of(words[1]);
    if (!segment) return segment.error();
    algorithm.segment_bytes = segment.value();
    return algorithm;
}

Result<Rule> rule_of(std::string_view text, std::span<const std::string_view> words) {
    if (words.size() < 4) {
        return is_no_rule(text, "expected OPERATION RANKS BYTES ALGORITHM");
    }
    const auto op = parse_operation(words[0]);
    if (!op) return is_no_rule(text, op.error().message);
    const auto ranks = parse_number(words[1]);
    if (!ranks || *ranks < 2 || *ranks > most_ranks) {
        return is_no_rule(text, "the number of ranks is not from 2 to 2^24");
    }
    const auto bytes = parse_number(words[2]);
    if (!bytes || *bytes == Choices::never) return is_no_rule(text, "BYTES is no number of bytes");
    const auto algorithm = algorithm_of(op.value(), words.subspan(3));
    if (!algorithm) return is_no_rule(text, algorithm.error().message);
    return Rule{op.value(), static_cast<std::uint32_t>(*ranks), *bytes, algorithm.value()};
}

}  // namespace

Result<Algorithm> parse_algorithm(CollectiveOp op, std::string_view text) {
    const auto words = words_of(text);
    if (words.empty()) return invalid("the operation has no such algorithm");
    return algorithm_of(op, words);
}

std::string text_of(CollectiveOp op, const Algorithm& algorithm) {
    const std::string segment = std::to_string(algorithm.segment_bytes);
    switch (algorithm.kind) {
        case AlgorithmKind::native:
            break;
        case AlgorithmKind::chain:
            return "chain " + segment;
        case AlgorithmKind::ring:
            return "ring";
        case AlgorithmKind::tuned: {
            const TunedAlgorithm* const found = find_tuned(op, algorithm.number);
            if (found == nullptr) break;
            return "tuned " + std::string(found->name) +
                   (algorithm.segment_bytes == 0 ? "" : " " + segment);
        }
    }
    return "native";
}

Result<CollectiveOp> parse_operation(std::string_view name) {
    std::string names;
    for (const CollectiveOp op : all_operations) {
        if (name == collective_name(op)) return op;
        names += (names.empty() ? "" : ", ") + std::string(collective_name(op));
    }
    return invalid("the operation is none of " + names);
}

Result<Choices> Choices::parse(std::string_view text) {
    Choices choices;
    choices.least_bytes_.fill(never);
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(';'));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const auto words = words_of(one);
        if (words.empty()) continue;
        if (words.front() == for_library) {
            choices.library_ = joined(std::span(words).subspan(1));
            continue;
        }
        auto rule = rule_of(one, words);
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
        return invalid("two rules for " + std::string(collective_name(twice->op)) + " " +
                       std::to_string(twice->ranks) + " " + std::to_string(twice->from_bytes));
    }
    for (const Rule& rule : rules) {
        std::uint64_t& least = choices.least_bytes_[static_cast<std::size_t>(rule.op)];
        if (rule.algorithm.kind != AlgorithmKind::native) least = std::min(least, rule.from_bytes);
    }
    if (Status found = choices.find_needs(); !found) return found.error();
    return choices;
}

/// All ranks have the same rules in the same order, and so the same numbers of communicators.
Status Choices::find_needs() {
    comm_of_rule_.assign(rules_.size(), 0);
    for (std::size_t r = 0; r < rules_.size(); ++r) {
        const Rule& rule = rules_[r];
        if (rule.algorithm.kind == AlgorithmKind::native) continue;
        const auto number = needs_[rule.ranks].number_for(rule.op, rule.algorithm);
        if (!number) {
            return invalid("the rules for " + std::to_string(rule.ranks) +
                           " ranks need more than " + std::to_string(CommNeeds::most) +
                           " communicators beside the program's");
        }
        comm_of_rule_[r] = *number;
    }
    return Ok{};
}

std::string Choices::text_of(std::span<const Rule> rules, std::string_view library) {
    std::string text;
    if (!library.empty()) text = std::string(for_library) + ' ' + plain_name(library);
    for (const Rule& rule : rules) {
        if (!text.empty()) text += ';';
        text += collective_name(rule.op);
        text += ' ' + std::to_string(rule.ranks) + ' ' + std::to_string(rule.from_bytes) + ' ' +
                inside::text_of(rule.op, rule.algorithm);
    }
    return text;
}

bool is_of_library(std::string_view name, std::string_view version) {
    return plain_name(name) == plain_name(version.substr(0, version.find_first_of(",\n")));
}

bool Choices::suit(std::string_view version) const {
    return library_.empty() || is_of_library(library_, version);
}

Choice Choices::find(CollectiveOp op, int ranks, std::uint64_t bytes) const noexcept {
    const auto number = static_cast<std::uint32_t>(ranks);
    const auto behind =
        std::upper_bound(rules_.begin(), rules_.end(), std::tuple(op, number, bytes),
                         [](const auto& asked, const Rule& rule) {
                             return asked < std::tuple(rule.op, rule.ranks, rule.from_bytes);
                         });
    if (behind == rules_.begin()) return {};
    const auto last = static_cast<std::size_t>(behind - rules_.begin()) - 1;
    const Rule& rule = rules_[last];
    if (rule.op != op || rule.ranks != number) return {};
    return {rule.algorithm, comm_of_rule_[last]};
}

std::span<const CommNeed> Choices::needs(int ranks) const noexcept {
    const auto found = needs_.find(static_cast<std::uint32_t>(ranks));
    if (found == needs_.end()) return {};
    return found->second.all();
}

}  // namespace commmap::inside
