// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/import/amount.hpp"
#include "core/import/importer.hpp"
#include "core/import/message_list.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {
namespace {

struct MatrixCell {
    RankId row = 0;
    RankId column = 0;
    std::uint64_t value = 0;  ///< > 0
    [[nodiscard]] auto place() const { return std::tuple(row, column); }
};

struct SquareMatrix {
    std::size_t size = 0;
    std::vector<MatrixCell> cells;  ///< row by row
};

/// @param what  what its cells are, for errors
Result<SquareMatrix> read_matrix(const ImportFile& file, std::string_view what) {
    SquareMatrix matrix;
    TextLines lines(file.name, file.content);
    std::size_t row = 0;
    while (lines.next()) {
        Words words(lines.line(), " \t,;");
        std::string_view word = words.next();
        if (word.empty() || word.starts_with('#') || word.starts_with('%')) continue;
        if (row > 0 && row == matrix.size)
            return lines.error(fmt::format("one line more than the {} of a square matrix", row));
        std::size_t column = 0;
        for (; !word.empty(); word = words.next(), ++column) {
            const auto value = parse_amount(word, what);
            if (!value) return lines.error(value.error());
            if (row > 0 && column == matrix.size) break;
            if (column >= max_profile_ranks)
                return lines.error("more columns than a profile can have ranks");
            if (value.value() > 0)
                matrix.cells.push_back(
                    {static_cast<RankId>(row), static_cast<RankId>(column), value.value()});
        }
        if (row == 0) matrix.size = column;
        if (column != matrix.size || !word.empty())
            return lines.error(fmt::format("{} numbers, where the first line has {}",
                                           word.empty() ? std::to_string(column) : "more",
                                           matrix.size));
        ++row;
    }
    if (row == 0)
        return Error{
            Errc::invalid_input,
            one_line(file.name) + ": the file has no numbers; it needs a line for each sender"};
    if (row != matrix.size)
        return error_in_line(
            file.name, lines.number(),
            fmt::format("the matrix ends after {} lines of {} numbers: a matrix must be square",
                        row, matrix.size));
    return matrix;
}

/// Halves a matrix in which both cells of a pair of ranks have the sum of both directions. Of an
/// odd number, the lower rank sends the larger half.
Status halve(SquareMatrix& matrix, const std::string& name) {
    std::vector<MatrixCell> mirrored = matrix.cells;
    for (MatrixCell& cell : mirrored) std::swap(cell.row, cell.column);
    std::sort(mirrored.begin(), mirrored.end(),
              [](const MatrixCell& a, const MatrixCell& b) { return a.place() < b.place(); });
    for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
        MatrixCell& cell = matrix.cells[i];
        // Both lists are sorted, so at the first different place one of the two cells is missing.
        const MatrixCell& other = std::min(
            cell, mirrored[i],
            [](const MatrixCell& a, const MatrixCell& b) { return a.place() < b.place(); });
        if (cell.place() != mirrored[i].place() || cell.value != mirrored[i].value)
            return Error{Errc::invalid_input,
                         fmt::format("{}: ranks {} and {} have different numbers there and back, "
                                     "so that a cell cannot be both: leave --both-ways out",
                                     one_line(name), other.row, other.column)};
        if (cell.row == cell.column) continue;
        cell.value = cell.value / 2 + (cell.row < cell.column ? cell.value % 2 : 0);
    }
    return Ok{};
}

}  // namespace

/// Imports a matrix of bytes, and a matrix of messages if there is a second file. Without this,
/// all bytes from one rank to another are one message.
Result<Imported> import_matrix(std::span<const ImportFile> files, const ImportOptions& options) {
    auto bytes = read_matrix(files.front(), "bytes");
    if (!bytes) return bytes.error();
    SquareMatrix counts;
    if (files.size() > 1) {
        auto read = read_matrix(files[1], "messages");
        if (!read) return read.error();
        counts = std::move(read).value();
        if (counts.size != bytes.value().size)
            return Error{
                Errc::invalid_input,
                fmt::format("{}: {} ranks, where {} has {}", one_line(files[1].name), counts.size,
                            one_line(files.front().name), bytes.value().size)};
    }
    if (options.both_ways) {
        if (Status s = halve(bytes.value(), files.front().name); !s) return s.error();
        if (files.size() > 1)
            if (Status s = halve(counts, files[1].name); !s) return s.error();
    }
    const auto num_ranks =
        imported_ranks(bytes.value().size, options.num_ranks, bytes.value().size);
    if (!num_ranks) return prefixed(one_line(files.front().name), num_ranks.error());

    ImportedSums sums;
    MessageList messages(sums);
    auto count = counts.cells.begin();
    const auto add = [&](const MatrixCell& cell, std::uint64_t num_messages,
                         std::uint64_t num_bytes) -> Status {
        Status added = messages.add(cell.row, cell.column, num_messages, num_bytes);
        if (added) return added;
        return prefixed(one_line(files.front().name), added.error());
    };
    for (const MatrixCell& cell : bytes.value().cells) {
        // Adds messages of 0 bytes, which only the matrix of messages has.
        for (; count != counts.cells.end() && count->place() < cell.place(); ++count)
            if (Status s = add(*count, count->value, 0); !s) return s.error();
        std::uint64_t num_messages = cell.value > 0 ? 1 : 0;
        // profile2mat writes a rounded mean of both directions, so half a message becomes 0.
        if (count != counts.cells.end() && count->place() == cell.place())
            num_messages = std::max(num_messages, (count++)->value);
        if (Status s = add(cell, num_messages, cell.value); !s) return s.error();
    }
    for (; count != counts.cells.end(); ++count)
        if (Status s = add(*count, count->value, 0); !s) return s.error();
    return Imported{profile_of_messages(messages, num_ranks.value()), {}};
}

}  // namespace commmap
