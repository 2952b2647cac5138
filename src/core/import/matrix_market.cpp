// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/number.hpp"
#include "core/import/amount.hpp"
#include "core/import/importer.hpp"
#include "core/import/message_list.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {
namespace {

struct MarketHeader {
    bool symmetric = false;  ///< an entry also stands for the entry across the diagonal
};

Result<MarketHeader> market_header(const TextLines& lines) {
    Words words(lines.line());
    std::string_view kind = words.next();
    const auto is = [](std::string_view word, std::string_view name) {
        return std::equal(word.begin(), word.end(), name.begin(), name.end(),
                          [](char a, char b) { return (a | 0x20) == (b | 0x20); });
    };
    if (!is(kind, "%%matrixmarket") || !is(words.next(), "matrix"))
        return lines.error("a Matrix Market file begins with '%%MatrixMarket matrix'");
    const std::string_view layout = words.next();
    const std::string_view field = words.next();
    const std::string_view symmetry = words.next();
    MarketHeader header;
    header.symmetric = is(symmetry, "symmetric");
    if (is(layout, "coordinate") && (is(field, "integer") || is(field, "real")) &&
        (header.symmetric || is(symmetry, "general")))
        return header;
    return lines.error(
        fmt::format("{} cannot be imported: write it as 'coordinate integer general'",
                    quoted_word(fmt::format("{} {} {}", layout, field, symmetry))));
}

struct MarketSize {
    std::size_t ranks = 0;
    std::uint64_t entries = 0;
};

Result<MarketSize> market_size(const TextLines& lines) {
    Words words(lines.line());
    const std::string_view rows = words.next();
    const std::string_view columns = words.next();
    const auto entries = parse_number(words.next());
    if (rows != columns) return lines.error("not square: " + quoted_word(lines.line()));
    const auto size = parse_number(rows);
    if (!size || *size == 0 || !entries || !words.next().empty())
        return lines.error("not 'rows columns entries': " + quoted_word(lines.line()));
    const auto highest = parse_rank(std::to_string(*size - 1));
    if (!highest) return lines.error(highest.error());
    return MarketSize{*size, *entries};
}

Status add_market_entry(const TextLines& lines, const MarketHeader& header, const MarketSize& size,
                        MessageList& messages) {
    Words words(lines.line());
    RankId ends[2];
    for (RankId& end : ends) {
        const std::string_view word = words.next();
        const auto number = parse_number(word);  // counted from 1
        if (!number || *number == 0 || *number > size.ranks)
            return lines.error(fmt::format("{} is none of the rows and columns 1 to {}",
                                           quoted_word(word), size.ranks));
        end = static_cast<RankId>(*number - 1);
    }
    const auto bytes = parse_amount(words.next(), "bytes");
    if (!bytes) return lines.error(bytes.error());
    if (!words.next().empty()) return lines.error("more than: row column bytes");
    const std::uint64_t count = bytes.value() > 0 ? 1 : 0;
    Status added = messages.add(ends[0], ends[1], count, bytes.value());
    if (added && header.symmetric && ends[0] != ends[1])
        added = messages.add(ends[1], ends[0], count, bytes.value());
    return added ? added : Status(lines.error(added.error()));
}

}  // namespace

Result<Imported> import_matrix_market(std::span<const ImportFile> files,
                                      const ImportOptions& options) {
    TextLines lines(files.front().name, files.front().content);
    const std::string name = one_line(files.front().name);
    if (!lines.next()) return Error{Errc::invalid_input, name + ": the file is empty"};
    const auto header = market_header(lines);
    if (!header) return header.error();
    ImportedSums sums;
    MessageList messages(sums);
    std::optional<MarketSize> size;
    std::uint64_t num_entries = 0;
    while (lines.next()) {
        const std::string_view word = Words(lines.line()).next();
        if (word.empty() || word.starts_with('%')) continue;
        if (!size) {
            const auto read = market_size(lines);
            if (!read) return read.error();
            size = read.value();
            continue;
        }
        if (num_entries++ == size->entries)
            return lines.error(
                fmt::format("more entries than the {} that the line of sizes says", size->entries));
        const Status added = add_market_entry(lines, header.value(), *size, messages);
        if (!added) return added.error();
    }
    if (!size || num_entries != size->entries)
        return lines.error(fmt::format("the file ends after {}{} entries", num_entries,
                                       size ? fmt::format(" of {}", size->entries) : ""));
    const auto num_ranks = imported_ranks(size->ranks, options.num_ranks, num_entries);
    if (!num_ranks) return prefixed(name, num_ranks.error());
    return Imported{profile_of_messages(messages, num_ranks.value()), {}};
}

}  // namespace commmap
