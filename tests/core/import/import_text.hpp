// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/importer.hpp"
#include "core/profile/format/profile_codec.hpp"

namespace commmap {

inline const ImportFormat& import_format(std::string_view name) {
    for (const ImportFormat& format : import_format_table())
        if (format.name == name) return format;
    ADD_FAILURE() << "no format " << name;
    return import_format_table().front();
}

/// Of files called "a", "b", ...
inline Result<Imported> import_text(std::string_view format,
                                    std::initializer_list<std::string_view> contents,
                                    const ImportOptions& options = {}) {
    std::vector<ImportFile> files;
    for (const std::string_view content : contents)
        files.push_back({std::string(1, static_cast<char>('a' + files.size())), content});
    return import_profile(import_format(format), files, options);
}

/// Why it was refused; empty: it was not.
inline std::string refused(std::string_view format,
                           std::initializer_list<std::string_view> contents,
                           const ImportOptions& options = {}) {
    const auto imported = import_text(format, contents, options);
    return imported ? "" : imported.error().message;
}

/// "0>1 2:30 ..." of a phase: sender, receiver, messages, bytes; cells in the order of the rows.
inline std::string messages_of(const Imported& imported, std::size_t phase = 0) {
    std::string text;
    const TrafficMatrix& sent = imported.profile.phases[phase].sent;
    for (RankId rank = 0; rank < sent.num_ranks(); ++rank)
        for (const TrafficCell& cell : sent.sent_by(rank))
            text += (text.empty() ? "" : " ") + std::to_string(rank) + ">" +
                    std::to_string(cell.peer) + " " + std::to_string(cell.count) + ":" +
                    std::to_string(cell.bytes);
    return text;
}

}  // namespace commmap
