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

/// A profile that is read piece by piece: opening it takes the time of reading its index, which is
/// small however many ranks it has. Every piece is checked when it is read; errors as those of
/// decode_profile(), without the file's name. Movable; not for two threads at once.
class ProfileFile {
public:
    /// The file stays open.
    [[nodiscard]] static Result<ProfileFile> of_file(OpenedFile file);
    /// @param content  outlives this object
    [[nodiscard]] static Result<ProfileFile> of_content(std::string_view content);

    ~ProfileFile();
    ProfileFile(ProfileFile&&) noexcept;
    ProfileFile& operator=(ProfileFile&&) noexcept;

    struct PhaseSummary {
        std::string label;
        TrafficSum sent;
        std::uint64_t num_cells = 0;
    };
    /// All of the profile that has one value; its lists but nodes and missing are empty.
    [[nodiscard]] const Profile& head() const;
    [[nodiscard]] std::size_t num_ranks() const;
    [[nodiscard]] const std::vector<PhaseSummary>& phases() const;

    [[nodiscard]] Result<std::vector<ProfileRank>> ranks() const;
    [[nodiscard]] Result<std::vector<std::vector<RankId>>> communicators() const;
    /// @param phase  < phases().size()
    [[nodiscard]] Result<Phase> phase(std::size_t phase) const;
    /// Both are empty where none were recorded (versions 1 and 2, imports).
    [[nodiscard]] Result<Rounds> rounds() const;
    [[nodiscard]] Result<std::vector<ProcessTopology>> topologies() const;
    [[nodiscard]] Result<Profile> whole() const;

private:
    class Contents;
    explicit ProfileFile(std::unique_ptr<Contents> contents);
    std::unique_ptr<Contents> contents_;
};

}  // namespace commmap
