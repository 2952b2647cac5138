#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/own_directory.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/recording/rank_record.hpp"
#include "core/profile/store/store.hpp"

namespace commmap {

/// What the ranks of one node recorded and did not gather themselves: they were killed, or their
/// MPI library has no way for it. Or what all ranks did, where rank 0 has gathered it.
struct NodePart {
    std::string command;  ///< of its first rank
    std::string mpi_library;
    std::uint32_t num_ranks = 0;      ///< of the job step
    std::vector<RankRecord> records;  ///< of this node's ranks, those that there are

    /// A complete profile can be made of it alone.
    [[nodiscard]] bool is_whole_run() const;
};

/// Bytes for a commmap of the same build.
[[nodiscard]] std::string encode_node_part(const NodePart& part);
/// Errors: corrupt, not_supported (another build's).
[[nodiscard]] Result<NodePart> decode_node_part(std::string_view bytes);

/// One profile from the parts of all nodes, or of those that left one. Of a rank that is in two
/// parts the larger part's record counts: rank 0 may have gathered, and others be killed before
/// they know of it. Ranks without a record are in Profile::missing; the profile is complete when
/// there are none and every rank came to MPI_Finalize. Errors: invalid_input (no part; parts of
/// different sizes), and those of merge_rank_records().
[[nodiscard]] Result<Profile> merge_node_parts(std::vector<NodePart> parts);

/// The parts of one job step, until they are merged: `<node>.part` in unfinished_path().
class UnfinishedRun {
public:
    UnfinishedRun(const std::string& profiles, std::uint32_t job, std::uint32_t step);

    [[nodiscard]] const std::string& directory() const { return directory_; }
    /// @param visibility  of the directory of profiles, if it is made; nobody else reads the parts
    [[nodiscard]] Status keep(std::uint32_t node, const NodePart& part,
                              FileVisibility visibility = FileVisibility::user) const;
    struct Parts {
        std::vector<NodePart> parts;       ///< those that can be used, at least one
        std::optional<Error> passed_over;  ///< why another one cannot
        std::filesystem::file_time_type oldest = std::filesystem::file_time_type::max();
    };
    /// Errors: not_found (no part), io, and corrupt or not_supported where none can be used.
    [[nodiscard]] Result<Parts> parts() const;
    /// Merges the parts, saves the profile (complete or partial), and removes the parts unless one
    /// could not be used. The value is a line about it; where a complete profile of the step is
    /// there already, with parts or without, the line is about that.
    [[nodiscard]] Result<std::string> collect(const ProfileStore& store) const;
    /// The profile of parts that nobody has kept. Each call saves one: a step may run a program
    /// several times.
    [[nodiscard]] Result<std::string> save(std::vector<NodePart> parts,
                                           const ProfileStore& store) const;

private:
    /// Its directory. @param make  when it is missing
    [[nodiscard]] Result<OwnDirectory> held(bool make) const;
    /// Of those of this step that were written since then the last.
    [[nodiscard]] std::optional<Result<std::string>> line_about_step(
        const std::vector<ProfileStore::Entry>& runs, std::filesystem::file_time_type since) const;
    [[nodiscard]] Result<Profile> profile_of(std::vector<NodePart> parts) const;
    [[nodiscard]] static Result<std::string> put(const Profile& profile, const ProfileStore& store);
    void remove() const;

    std::uint32_t job_;
    std::uint32_t step_;
    std::string profiles_;
    std::string directory_;
};

}  // namespace commmap
