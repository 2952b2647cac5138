// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// A file of another program, from which a profile is made.
struct ImportFile {
    std::string name;  ///< as the user calls it
    std::string_view content;
};

struct ImportOptions {
    std::size_t num_ranks = 0;  ///< 0: as many as the files have
    /// A cell of a matrix has the bytes of both directions together.
    bool both_ways = false;
};

/// What an import gives.
struct Imported {
    /// The profile, with what the format has. The caller sets the identity, the recorder and the
    /// time of recording.
    Profile profile;
    std::vector<std::string> notes;  ///< for the user, one line each
};

/// A file format from which a profile can be made. Parts of a profile that the format lacks stay
/// empty: times are 0, the node is "?".
struct ImportFormat {
    std::string_view name;
    std::string_view files;  ///< says for people which files these are
    std::string_view help;
    std::size_t most_files;  ///< 0: any number
    /// Reads the files. The memory that it takes is in proportion to the size of the files,
    /// whatever they say.
    /// Errors: invalid_input, out_of_range, not_supported; each names file and line.
    /// Cost: O(bytes log bytes).
    Result<Imported> (*read)(std::span<const ImportFile> files, const ImportOptions& options);
    /// Takes the place of `read` for archives: opens the one file, and the files beside it, by
    /// itself.
    Result<Imported> (*read_archive)(const std::string& path, const ImportOptions& options);
};

/// Returns all formats: one row for each file of this folder that reads a format.
[[nodiscard]] std::span<const ImportFormat> import_format_table();

/// Imports a profile from file contents in memory, and checks it as a profile that is read from a
/// file.
/// @param format  has `read`
[[nodiscard]] Result<Imported> import_profile(const ImportFormat& format,
                                              std::span<const ImportFile> files,
                                              const ImportOptions& options);
/// Reads files and imports a profile from them.
/// Errors: as import_profile(); io, not_found.
[[nodiscard]] Result<Imported> import_profile_files(const ImportFormat& format,
                                                    std::span<const std::string> paths,
                                                    const ImportOptions& options);

// The importers.
[[nodiscard]] Result<Imported> import_monitoring(std::span<const ImportFile> files,
                                                 const ImportOptions& options);
[[nodiscard]] Result<Imported> import_ipm(std::span<const ImportFile> files,
                                          const ImportOptions& options);
[[nodiscard]] Result<Imported> import_matrix(std::span<const ImportFile> files,
                                             const ImportOptions& options);
[[nodiscard]] Result<Imported> import_matrix_market(std::span<const ImportFile> files,
                                                    const ImportOptions& options);
[[nodiscard]] Result<Imported> import_edges(std::span<const ImportFile> files,
                                            const ImportOptions& options);
[[nodiscard]] Result<Imported> import_otf2(const std::string& path, const ImportOptions& options);

}  // namespace commmap
