// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/import/amount.hpp"
#include "core/import/importer.hpp"
#include "core/import/message_list.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {
namespace {

/// The columns of a line, in the order of a file that does not name its columns.
enum class EdgeColumn { from, to, bytes, messages };

struct EdgeColumnName {
    std::string_view name;  ///< in small letters
    EdgeColumn column;
};
constexpr std::array edge_column_names{
    EdgeColumnName{"from", EdgeColumn::from},
    EdgeColumnName{"source", EdgeColumn::from},
    EdgeColumnName{"src", EdgeColumn::from},
    EdgeColumnName{"sender", EdgeColumn::from},
    EdgeColumnName{"to", EdgeColumn::to},
    EdgeColumnName{"target", EdgeColumn::to},
    EdgeColumnName{"destination", EdgeColumn::to},
    EdgeColumnName{"dest", EdgeColumn::to},
    EdgeColumnName{"dst", EdgeColumn::to},
    EdgeColumnName{"receiver", EdgeColumn::to},
    EdgeColumnName{"bytes", EdgeColumn::bytes},
    EdgeColumnName{"size", EdgeColumn::bytes},
    EdgeColumnName{"volume", EdgeColumn::bytes},
    EdgeColumnName{"weight", EdgeColumn::bytes},
    EdgeColumnName{"messages", EdgeColumn::messages},
    EdgeColumnName{"count", EdgeColumn::messages},
    EdgeColumnName{"msgs", EdgeColumn::messages},
};

constexpr std::string_view edge_separators = " \t,;";
constexpr std::size_t num_edge_columns = 4;

std::string in_small_letters(std::string_view word) {
    std::string small(word);
    std::transform(small.begin(), small.end(), small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return small;
}

/// The position of each column in a line.
struct EdgeColumns {
    static constexpr std::size_t none = num_edge_columns;

    std::array<std::size_t, num_edge_columns> place{0, 1, 2, 3};
    std::size_t count = 0;  ///< words of a line; 0: three or four

    [[nodiscard]] std::size_t of(EdgeColumn column) const {
        return place[static_cast<std::size_t>(column)];
    }
};

Result<EdgeColumns> edge_header(const TextLines& lines) {
    EdgeColumns columns;
    columns.place.fill(EdgeColumns::none);
    Words words(lines.line(), edge_separators);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (columns.count == num_edge_columns)
            return lines.error("more than the columns from, to, bytes and messages");
        const std::string name = in_small_letters(word);
        const auto* const known =
            std::find_if(edge_column_names.begin(), edge_column_names.end(),
                         [&](const EdgeColumnName& column) { return column.name == name; });
        if (known == edge_column_names.end())
            return lines.error(quoted_word(word) +
                               " is neither a rank nor the name of a column: those are from, to, "
                               "bytes and messages");
        std::size_t& place = columns.place[static_cast<std::size_t>(known->column)];
        if (place != EdgeColumns::none)
            return lines.error(quoted_word(word) + " is a column that was there before");
        place = columns.count++;
    }
    for (const EdgeColumn needed : {EdgeColumn::from, EdgeColumn::to, EdgeColumn::bytes})
        if (columns.of(needed) == EdgeColumns::none)
            return lines.error("the columns need the names from, to and bytes");
    return columns;
}

Status add_edge(const TextLines& lines, const EdgeColumns& columns, MessageList& messages) {
    std::array<std::string_view, num_edge_columns> words;
    std::size_t count = 0;
    Words rest(lines.line(), edge_separators);
    for (std::string_view word = rest.next(); !word.empty(); word = rest.next()) {
        if (count == num_edge_columns) return lines.error("more than: from to bytes messages");
        words[count++] = word;
    }
    if (columns.count > 0 ? count != columns.count : count < num_edge_columns - 1)
        return lines.error(fmt::format("{} words: a line is: from to bytes [messages]", count));
    const auto from = parse_rank(words[columns.of(EdgeColumn::from)]);
    if (!from) return lines.error(from.error());
    const auto to = parse_rank(words[columns.of(EdgeColumn::to)]);
    if (!to) return lines.error(to.error());
    const auto bytes = parse_amount(words[columns.of(EdgeColumn::bytes)], "bytes");
    if (!bytes) return lines.error(bytes.error());
    std::uint64_t num_messages = bytes.value() > 0 ? 1 : 0;
    if (const std::size_t place = columns.of(EdgeColumn::messages); place < count) {
        const auto said = parse_amount(words[place], "messages");
        if (!said) return lines.error(said.error());
        if (said.value() == 0 && bytes.value() > 0)
            return lines.error(fmt::format("{} bytes but 0 messages", bytes.value()));
        num_messages = said.value();
    }
    const Status added = messages.add(from.value(), to.value(), num_messages, bytes.value());
    return added ? added : Status(lines.error(added.error()));
}

}  // namespace

/// Imports a list of edges. A line stands for one message or many, and lines of the same two ranks
/// are added up.
Result<Imported> import_edges(std::span<const ImportFile> files, const ImportOptions& options) {
    TextLines lines(files.front().name, files.front().content);
    ImportedSums sums;
    MessageList messages(sums);
    EdgeColumns columns;
    std::size_t num_edges = 0;
    bool first = true;
    while (lines.next()) {
        const std::string_view word = Words(lines.line(), edge_separators).next();
        if (word.empty() || word.starts_with('#') || word.starts_with('%')) continue;
        const bool is_header =
            std::exchange(first, false) && ((word.front() >= 'a' && word.front() <= 'z') ||
                                            (word.front() >= 'A' && word.front() <= 'Z'));
        if (is_header) {
            const auto named = edge_header(lines);
            if (!named) return named.error();
            columns = named.value();
            continue;
        }
        if (Status s = add_edge(lines, columns, messages); !s) return s.error();
        ++num_edges;
    }
    const auto num_ranks = imported_ranks(messages.num_ranks(), options.num_ranks, num_edges);
    if (!num_ranks) return prefixed(one_line(files.front().name), num_ranks.error());
    return Imported{profile_of_messages(messages, num_ranks.value()), {}};
}

}  // namespace commmap
