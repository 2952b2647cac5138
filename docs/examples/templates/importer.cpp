// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// A reader of another program's format to begin with: lines of "from to bytes".
// This file is compiled with the tests, and registered nowhere.
//
// 1. Copy it to src/core/import/NAME.cpp, declare its function in importer.hpp beside it, and add
//    the file to src/core/import/CMakeLists.txt.
// 2. Add a row to import_format_table() in src/core/import/importer.cpp. The program's option
//    --format and its help are made of that table.
// 3. Add tests/core/import/NAME_test.cpp: a small file, and one line for each error.
// 4. Add a line to tests/fuzz/import_fuzz.cpp and a file to tests/fuzz/corpus/import, because an
//    importer reads what anybody may write.
// 5. Add a row to docs/formats/profile-format.md.
#include <cstdint>

#include "core/import/amount.hpp"
#include "core/import/importer.hpp"
#include "core/import/message_list.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {

/// Reads one message a line: the sender, the receiver, its bytes.
///
/// Errors: invalid_input and out_of_range, with file and line.
/// Cost: O(bytes log bytes); memory of 24 bytes a line.
Result<Imported> import_lines(std::span<const ImportFile> files, const ImportOptions& options);

Result<Imported> import_lines(std::span<const ImportFile> files, const ImportOptions& options) {
    TextLines lines(files.front().name, files.front().content);
    ImportedSums sums;
    MessageList messages(sums);
    std::size_t num_lines = 0;
    for (; lines.next(); ++num_lines) {
        Words words(lines.line());
        const auto from = parse_rank(words.next());
        if (!from) return lines.error(from.error());
        const auto to = parse_rank(words.next());
        if (!to) return lines.error(to.error());
        const auto bytes = parse_amount(words.next(), "bytes");
        if (!bytes) return lines.error(bytes.error());
        if (!words.next().empty()) return lines.error("more than: from to bytes");
        if (const Status added = messages.add(from.value(), to.value(), 1, bytes.value()); !added)
            return lines.error(added.error());
    }
    const auto num_ranks = imported_ranks(messages.num_ranks(), options.num_ranks, num_lines);
    if (!num_ranks) return prefixed(files.front().name, num_ranks.error());
    return Imported{profile_of_messages(messages, num_ranks.value()), {}};
}

}  // namespace commmap
