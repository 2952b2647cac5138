// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/import/amount.hpp"
#include "core/import/importer.hpp"
#include "core/import/message_list.hpp"
#include "core/import/size_histogram.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/recording/rank_record.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

// Open MPI writes these lines (ompi/mca/common/monitoring and the components coll/monitoring and
// osc/monitoring of 4.1.4):
//   E  messages to a rank with a tag of the program's
//   I  messages with a tag of MPI's own: collectives, making of communicators. Only with
//      pml_monitoring_enable 2; with 1 such messages are among E
//   S  one-sided: bytes to the rank (put, accumulate); a get counts as a message of 0 bytes
//   R  one-sided: bytes from the rank (get)
//   C  what collectives would send if each member sent directly to all members concerned
//   D  a communicator and its ranks; then O2A, A2O, A2A: the communicator's sums of C, by kind
// The lengths behind E (or behind I, for ranks that have no E) are those of E and I together.
// A profile takes nothing from C, O2A, A2O and A2A, because these lines do not name the operation.
// The messages of the operation are in I.

namespace commmap {
namespace {

/// What one rank sent to another by E, I, S and R.
struct MonitoredPair {
    struct Sum {
        bool there = false;
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;
    };
    std::array<Sum, 4> by_kind;
    std::vector<std::uint64_t> lengths;  ///< histogram of E and I
};
constexpr std::string_view pair_kinds = "EISR";

struct MonitoredPhase {
    std::string name;
    std::map<std::pair<RankId, RankId>, MonitoredPair> pairs;
    std::vector<RankId> writers;  ///< ranks that wrote a line
    std::size_t num_ranks = 0;
    bool has_communicators = false;
    bool has_internal = false;
    bool has_collectives = false;

    void note(RankId rank) { num_ranks = std::max(num_ranks, std::size_t{rank} + 1); }
    void note_writer(RankId rank) {
        note(rank);
        if (writers.empty() || writers.back() != rank) writers.push_back(rank);
    }
};

/// Returns NAME of DIR/NAME.RANK.prof, or of DIR/NAME.prof.
std::string monitored_name(std::string_view path) {
    std::string_view name = path.substr(path.rfind('/') + 1);
    if (name.ends_with(".prof")) name.remove_suffix(5);
    const std::size_t dot = name.rfind('.');
    if (dot != std::string_view::npos && dot > 0 && parse_rank(name.substr(dot + 1)))
        name = name.substr(0, dot);
    return one_line(name, RankRecord::most_letters - 3);  // room for one_line()'s "..."
}

/// Reads "N bytes M msgs sent".
Result<MonitoredPair::Sum> monitored_sum(Words& words) {
    const auto bytes = parse_amount(words.next(), "bytes");
    if (!bytes) return bytes.error();
    const std::string_view unit = words.next();
    const auto count = parse_amount(words.next(), "messages");
    if (!count) return count.error();
    const std::string_view msgs = words.next();
    if (unit != "bytes" || msgs != "msgs" || words.next() != "sent")
        return Error{Errc::invalid_input, "not 'N bytes M msgs sent'"};
    if (count.value() == 0 && bytes.value() > 0)
        return Error{Errc::invalid_input, fmt::format("{} bytes but 0 messages", bytes.value())};
    return MonitoredPair::Sum{true, count.value(), bytes.value()};
}

Result<std::vector<std::uint64_t>> monitored_lengths(std::string_view word) {
    std::vector<std::uint64_t> lengths;
    Words numbers(word, ",");
    for (std::string_view number = numbers.next(); !number.empty(); number = numbers.next()) {
        if (lengths.size() == most_histogram_classes)
            return Error{Errc::invalid_input,
                         fmt::format("more than {} classes of message lengths", lengths.size())};
        const auto count = parse_amount(number, "messages");
        if (!count) return count.error();
        lengths.push_back(count.value());
    }
    return lengths;
}

/// Adds a line E, I, S, R or C.
Status add_pair_line(char kind, Words words, MonitoredPhase& phase) {
    const auto writer = parse_rank(words.next());
    if (!writer) return writer.error();
    const auto peer = parse_rank(words.next());
    if (!peer) return peer.error();
    const auto sum = monitored_sum(words);
    if (!sum) return sum.error();
    phase.note_writer(writer.value());
    phase.note(peer.value());
    phase.has_internal = phase.has_internal || kind == 'I';
    if (kind == 'C') {
        phase.has_collectives = true;
        return Ok{};
    }
    std::pair ends(writer.value(), peer.value());
    if (kind == 'R') std::swap(ends.first, ends.second);
    MonitoredPair& pair = phase.pairs[ends];
    MonitoredPair::Sum& place = pair.by_kind[pair_kinds.find(kind)];
    if (place.there)
        return Error{Errc::invalid_input,
                     fmt::format("a second line {} of ranks {} and {}: is a file there twice?",
                                 kind, writer.value(), peer.value())};
    place = sum.value();
    if (kind != 'E' && kind != 'I') return Ok{};
    auto lengths = monitored_lengths(words.next());
    if (!lengths) return lengths.error();
    if (!lengths.value().empty()) pair.lengths = std::move(lengths).value();
    return Ok{};
}

/// Adds a line D, of which only the ranks count. The communicator's name may be any text.
Status add_communicator_line(std::string_view line, MonitoredPhase& phase) {
    constexpr std::string_view before = "procs: ";
    const std::size_t begin = line.rfind(before);
    if (begin == std::string_view::npos)
        return Error{Errc::invalid_input, "a communicator without 'procs: '"};
    Words ranks(line.substr(begin + before.size()), ", ");
    for (std::string_view word = ranks.next(); !word.empty(); word = ranks.next()) {
        const auto rank = parse_rank(word);
        if (!rank) return rank.error();
        phase.note(rank.value());
    }
    phase.has_communicators = true;
    return Ok{};
}

Status add_monitored_line(std::string_view line, MonitoredPhase& phase) {
    Words words(line);
    const std::string_view kind = words.next();
    if (kind.empty() || kind.starts_with('#')) return Ok{};
    if (kind == "E" || kind == "I" || kind == "S" || kind == "R" || kind == "C")
        return add_pair_line(kind.front(), words, phase);
    if (kind == "D") return add_communicator_line(line, phase);
    if (kind != "O2A" && kind != "A2O" && kind != "A2A")
        return Error{Errc::invalid_input,
                     quoted_word(kind) +
                         " is no line of pml_monitoring (E, I, S, R, C, D, O2A, A2O, "
                         "A2A, or a comment after #)"};
    const auto rank = parse_rank(words.next());
    if (!rank) return rank.error();
    if (const auto sum = monitored_sum(words); !sum) return sum.error();
    phase.note_writer(rank.value());
    return Ok{};
}

/// Finds a rank whose file is missing. Open MPI lists communicators in every rank's file, so each
/// rank must have written something.
std::optional<RankId> missing_writer(MonitoredPhase& phase, std::size_t num_ranks) {
    if (!phase.has_communicators) return std::nullopt;
    std::vector<RankId>& there = phase.writers;
    std::sort(there.begin(), there.end());
    there.erase(std::unique(there.begin(), there.end()), there.end());
    for (std::size_t i = 0; i < num_ranks; ++i)
        if (i == there.size() || there[i] != i) return static_cast<RankId>(i);
    return std::nullopt;
}

bool have_count(const std::vector<MessagesOfLength>& lengths, std::uint64_t count) {
    for (const MessagesOfLength& length : lengths) {
        if (length.count > count) return false;
        count -= length.count;
    }
    return count == 0;
}

Status add_messages(const MonitoredPhase& phase, MessageList& messages) {
    for (const auto& [ends, pair] : phase.pairs) {
        const auto& [sent, internal, put, got] = pair.by_kind;
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;
        const bool fits = !__builtin_add_overflow(sent.count, internal.count, &count) &&
                          !__builtin_add_overflow(sent.bytes, internal.bytes, &bytes);
        std::vector<MessagesOfLength> lengths;
        if (fits) lengths = spread_bytes(pair.lengths, bytes);
        // Ignores a histogram that does not have exactly these messages.
        if (!have_count(lengths, count))
            lengths = {{sent.count, sent.bytes}, {internal.count, internal.bytes}};
        lengths.push_back({put.count, put.bytes});
        lengths.push_back({got.count, got.bytes});
        for (const MessagesOfLength& length : lengths) {
            Status added = messages.add(ends.first, ends.second, length.count, length.bytes);
            if (!added) return added;
        }
    }
    return Ok{};
}

}  // namespace

Result<Imported> import_monitoring(std::span<const ImportFile> files,
                                   const ImportOptions& options) {
    std::vector<MonitoredPhase> phases;
    std::map<std::string, std::size_t> phase_of_name;
    std::size_t num_lines = 0;
    std::size_t highest = 0;
    for (const ImportFile& file : files) {
        const std::string name = monitored_name(file.name);
        const auto [place, is_new] = phase_of_name.emplace(name, phases.size());
        if (is_new) phases.emplace_back().name = name;
        MonitoredPhase& phase = phases[place->second];
        TextLines lines(file.name, file.content);
        while (lines.next()) {
            if (lines.line().find_first_not_of(" \t\r") != std::string_view::npos) ++num_lines;
            const Status added = add_monitored_line(lines.line(), phase);
            if (!added) return lines.error(added.error());
        }
        highest = std::max(highest, phase.num_ranks);
    }
    const std::string first_name = one_line(files.front().name);
    if (phases.size() > max_profile_phases)
        return Error{
            Errc::out_of_range,
            fmt::format(
                "{}: files of {} names would be as many phases, and a profile has {} at most",
                first_name, phases.size(), max_profile_phases)};
    const auto num_ranks = imported_ranks(highest, options.num_ranks, num_lines);
    if (!num_ranks) return prefixed(first_name, num_ranks.error());

    Imported imported;
    imported.profile.ranks.resize(num_ranks.value());
    imported.profile.mpi_library = "Open MPI";
    ImportedSums sums;
    bool collectives_told_apart = true;
    for (MonitoredPhase& from : phases) {
        if (const auto missing = missing_writer(from, num_ranks.value()))
            return Error{
                Errc::invalid_input,
                fmt::format(
                    "{}: no file says what rank {} sent: name those of all ranks ({}.*.prof)",
                    first_name, *missing, from.name)};
        MessageList messages(sums);
        if (Status s = add_messages(from, messages); !s) return prefixed(first_name, s.error());
        Phase& phase = imported.profile.phases.emplace_back();
        if (phases.size() > 1) phase.label = from.name;
        phase.sent = messages.rows(num_ranks.value());
        if (from.has_collectives && !from.has_internal) collectives_told_apart = false;
    }
    if (!collectives_told_apart)
        imported.notes.emplace_back(
            "no line says what collectives sent (I): their messages are counted as the program's "
            "own, or not at all. If pml_monitoring_enable was 1, run again with 2");
    return imported;
}

}  // namespace commmap
