// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

/// Reads a profile file piece by piece. Opening it reads only the index, which is small for any
/// number of ranks. Every piece is checked when it is read.
/// Errors: as decode_profile(), without the file's name.
/// Movable. Not thread-safe.
class ProfileFile {
public:
    /// Opens a profile in a file, which stays open.
    [[nodiscard]] static Result<ProfileFile> of_file(OpenedFile file);
    /// Opens a profile in memory. `content` must outlive this object.
    [[nodiscard]] static Result<ProfileFile> of_content(std::string_view content);

    ~ProfileFile();
    ProfileFile(ProfileFile&&) noexcept;
    ProfileFile& operator=(ProfileFile&&) noexcept;

    struct PhaseSummary {
        std::string label;
        TrafficSum sent;
        std::uint64_t num_cells = 0;
    };
    /// Returns the parts of the profile that are single values. Of its lists, only nodes and
    /// missing are filled.
    [[nodiscard]] const Profile& head() const;
    [[nodiscard]] std::size_t num_ranks() const;
    [[nodiscard]] const std::vector<PhaseSummary>& phases() const;

    [[nodiscard]] Result<std::vector<ProfileRank>> ranks() const;
    [[nodiscard]] Result<std::vector<std::vector<RankId>>> communicators() const;
    /// @param phase  < phases().size()
    [[nodiscard]] Result<Phase> phase(std::size_t phase) const;
    /// Rounds and process topologies are empty when none were recorded (versions 1 and 2, imports).
    [[nodiscard]] Result<Rounds> rounds() const;
    [[nodiscard]] Result<std::vector<ProcessTopology>> topologies() const;
    [[nodiscard]] Result<Profile> whole() const;

private:
    class Contents;
    explicit ProfileFile(std::unique_ptr<Contents> contents);
    std::unique_ptr<Contents> contents_;
};

}  // namespace commmap
