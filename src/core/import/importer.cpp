// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/importer.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>

#include "core/base/file.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/profile_checks.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

constexpr std::array import_formats{
    ImportFormat{"monitoring", "NAME.RANK.prof, those of all ranks",
                 "Open MPI's pml_monitoring; several NAMEs are phases", 0, import_monitoring,
                 nullptr},
    ImportFormat{"otf2", "NAME.otf2", "OTF2 archive of Score-P, EZTrace and others", 1, nullptr,
                 import_otf2},
    ImportFormat{"ipm", "NAME.ipm.xml", "IPM 2, written with IPM_LOG=full; regions are phases", 1,
                 import_ipm, nullptr},
    ImportFormat{"mat", "bytes [messages]",
                 "matrix, a line for each sender (TreeMatch, profile2mat)", 2, import_matrix,
                 nullptr},
    ImportFormat{"edges", "FILE", "lines of: from to bytes [messages]", 1, import_edges, nullptr},
    ImportFormat{"matrixmarket", "FILE", "sparse matrix of bytes, rows are senders", 1,
                 import_matrix_market, nullptr},
};

/// The limit for all files of a run together. The text of an all-to-all of 40000 ranks has this
/// length.
constexpr std::uint64_t most_import_bytes = std::uint64_t{4} << 30;

/// Checks a profile as its reader will, so that no importer writes a profile that is then refused.
Status check_imported(const Profile& profile) {
    const std::size_t num_ranks = profile.num_ranks();
    if (num_ranks == 0 || num_ranks > max_profile_ranks)
        return corrupt(fmt::format("{} ranks, not 1 to {}", num_ranks, max_profile_ranks));
    if (profile.phases.empty() || profile.phases.size() > max_profile_phases)
        return corrupt(
            fmt::format("{} phases, not 1 to {}", profile.phases.size(), max_profile_phases));
    for (const ProfileRank& rank : profile.ranks) {
        if (Status s = check_rank("a rank", rank, profile); !s) return s;
        if (Status s = check_calls("a rank", rank, profile.call_names.size()); !s) return s;
    }
    if (Status s = check_communicators(profile.communicators, num_ranks); !s) return s;
    for (const Phase& phase : profile.phases) {
        if (Status s = check_times("a phase", phase); !s) return s;
        for (std::size_t rank = 0; rank < num_ranks; ++rank) {
            const auto id = static_cast<RankId>(rank);
            if (Status s = check_row(id, phase.sent.sent_by(id), num_ranks); !s) return s;
        }
        Status s = check_collectives(phase.collectives, profile.communicators, num_ranks);
        if (!s) return s;
    }
    return check_section_sizes(profile);
}

Result<Imported> checked(Result<Imported> imported, const std::string& name) {
    if (!imported) return imported;
    if (imported.value().profile.nodes.empty()) imported.value().profile.nodes = {"?"};
    const Status possible = check_imported(imported.value().profile);
    if (!possible)
        return Error{possible.error().code, fmt::format("{}: the import makes no valid profile: {}",
                                                        one_line(name), possible.error().message)};
    return imported;
}

}  // namespace

std::span<const ImportFormat> import_format_table() { return import_formats; }

Result<Imported> import_profile(const ImportFormat& format, std::span<const ImportFile> files,
                                const ImportOptions& options) {
    if (files.empty()) return Error{Errc::invalid_input, "no file to import"};
    if (format.most_files > 0 && files.size() > format.most_files)
        return Error{Errc::invalid_input, fmt::format("{} files, but the format {} is of {}",
                                                      files.size(), format.name, format.files)};
    return checked(format.read(files, options), files.front().name);
}

Result<Imported> import_profile_files(const ImportFormat& format,
                                      std::span<const std::string> paths,
                                      const ImportOptions& options) {
    if (format.read_archive != nullptr) {
        if (paths.size() == 1)
            return checked(format.read_archive(paths.front(), options), paths.front());
        return Error{Errc::invalid_input, fmt::format("the format {} is read from one file, {}",
                                                      format.name, format.files)};
    }
    std::vector<std::string> contents;
    std::uint64_t left = most_import_bytes;
    for (const std::string& path : paths) {
        auto content = read_file(path, left);
        if (!content) return content.error();
        left -= content.value().size();
        contents.push_back(std::move(content).value());
    }
    std::vector<ImportFile> files;
    for (std::size_t i = 0; i < contents.size(); ++i) files.push_back({paths[i], contents[i]});
    return import_profile(format, files, options);
}

}  // namespace commmap
