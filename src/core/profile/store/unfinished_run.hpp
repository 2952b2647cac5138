// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

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

/// What the ranks of one node recorded and did not gather themselves, because they were killed or
/// their MPI library has no way to gather. When rank 0 has gathered the records of all ranks, the
/// part holds all of them.
struct NodePart {
    std::string command;  ///< of the node's first rank
    std::string mpi_library;
    std::uint32_t num_ranks = 0;      ///< of the job step
    std::vector<RankRecord> records;  ///< of this node's ranks, as far as there are any

    /// Tells whether this part alone makes a complete profile.
    [[nodiscard]] bool is_whole_run() const;
};

/// Encodes a node part for a commmap of the same build.
[[nodiscard]] std::string encode_node_part(const NodePart& part);
/// Decodes a node part. Errors: corrupt; not_supported for bytes of another build.
[[nodiscard]] Result<NodePart> decode_node_part(std::string_view bytes);

/// Makes one profile from the parts of all nodes, or of those nodes that left one. When two parts
/// have the same rank, the record in the larger part counts: rank 0 may have gathered while other
/// ranks were killed before they knew. Ranks without a record are in Profile::missing. The profile
/// is complete when no rank is missing and every rank came to MPI_Finalize.
/// Errors: invalid_input when there is no part, or parts have different numbers of ranks; as
/// merge_rank_records().
[[nodiscard]] Result<Profile> merge_node_parts(std::vector<NodePart> parts);

/// Keeps the node parts of one job step until they are merged, as `<node>.part` in
/// unfinished_path().
class UnfinishedRun {
public:
    UnfinishedRun(const std::string& profiles, std::uint32_t job, std::uint32_t step);

    [[nodiscard]] const std::string& directory() const { return directory_; }
    /// Keeps the part of one node.
    /// @param visibility  of the directory of profiles, if it is made; only the user reads the
    ///                    parts
    [[nodiscard]] Status keep(std::uint32_t node, const NodePart& part,
                              FileVisibility visibility = FileVisibility::user) const;
    struct Parts {
        std::vector<NodePart> parts;       ///< parts that can be used, at least one
        std::optional<Error> passed_over;  ///< why another part cannot be used; empty: all can
        std::filesystem::file_time_type oldest = std::filesystem::file_time_type::max();
    };
    /// Reads the parts. Errors: not_found when there is none; io; corrupt or not_supported when
    /// none can be used.
    [[nodiscard]] Result<Parts> parts() const;
    /// Merges the parts, saves the profile (complete or partial), and removes the parts unless one
    /// could not be used.
    /// @return  a line about the profile; or about an earlier complete profile of this step, if
    ///          there is one
    [[nodiscard]] Result<std::string> collect(const ProfileStore& store) const;
    /// Saves the profile of parts that were not kept. Each call saves one, because a step may run a
    /// program several times.
    [[nodiscard]] Result<std::string> save(std::vector<NodePart> parts,
                                           const ProfileStore& store) const;

private:
    /// Opens the step's directory. @param make  makes it when it is missing
    [[nodiscard]] Result<OwnDirectory> held(bool make) const;
    /// Returns a line about the last profile of this step that was written since then; nullopt:
    /// there is none.
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
