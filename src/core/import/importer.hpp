#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// A file that another program wrote.
struct ImportFile {
    std::string name;  ///< as the user calls it
    std::string_view content;
};

struct ImportOptions {
    std::size_t num_ranks = 0;  ///< 0: as many as the files have
    /// Of a matrix: a cell has the bytes there and back together.
    bool both_ways = false;
};

struct Imported {
    /// What the format has; of the rest nothing is set. Identity, recorder and time of recording
    /// are the caller's.
    Profile profile;
    std::vector<std::string> notes;  ///< a line each: what the user should know
};

/// A format that a profile is made of. What a profile has and the format has not stays empty: times
/// are 0, the node is "?".
struct ImportFormat {
    std::string_view name;
    std::string_view files;  ///< which, for people
    std::string_view help;
    std::size_t most_files;  ///< 0: any number
    /// Errors: invalid_input, out_of_range, not_supported, each of which names file and line. What
    /// it allocates is in proportion to the files, whatever they say. Cost: O(bytes log bytes).
    Result<Imported> (*read)(std::span<const ImportFile> files, const ImportOptions& options);
    /// Instead of that: reads the one file, and those beside it, by itself.
    Result<Imported> (*read_archive)(const std::string& path, const ImportOptions& options);
};

/// One row for each file of this folder that reads a format.
[[nodiscard]] std::span<const ImportFormat> import_format_table();

/// Of contents that are there. The profile is checked as one that is read from a file.
/// @param format  with `read`
[[nodiscard]] Result<Imported> import_profile(const ImportFormat& format,
                                              std::span<const ImportFile> files,
                                              const ImportOptions& options);
/// The same; reads the files first. Errors also: io, not_found.
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
