// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/format/profile_file.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/store/stored_name.hpp"

namespace commmap {

/// Opens a profile file and checks it. Errors name the file and what to do.
[[nodiscard]] Result<ProfileFile> open_profile_file(const std::string& path);
/// Opens a profile file in a store. It refuses a file whose program or number of ranks differs from
/// those in its name, which somebody has put there by hand.
[[nodiscard]] Result<ProfileFile> open_stored_profile(const std::string& path);
/// Reads a whole profile file.
[[nodiscard]] Result<Profile> read_profile_file(const std::string& path);
/// Writes a profile file in one step, and makes its directory (0700) when it is missing.
/// @param compress  nullptr: nothing is compressed
[[nodiscard]] Status write_profile_file(const std::string& path, const Profile& profile,
                                        Compress compress = nullptr);

/// A directory of profiles: one file for each run, named by executable and number of ranks
/// (docs/user/profile-store.md).
class ProfileStore {
public:
    /// The most runs that are kept of an executable on a number of ranks. Saving one more removes
    /// the oldest.
    static constexpr std::size_t most_runs = 8;

    /// @param compress  for files that are saved; nullptr: nothing is compressed
    /// @param readers   who may read the files that are saved
    explicit ProfileStore(std::string directory, Compress compress = nullptr,
                          FileVisibility visibility = FileVisibility::user)
        : directory_(std::move(directory)), compress_(compress), visibility_(visibility) {}

    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string path_of(const StoredName& name) const {
        return directory_ + "/" + file_name_of(name);
    }
    /// Returns the path of the partial profile, which stands beside the complete ones.
    [[nodiscard]] std::string partial_path_of(std::string_view application_id,
                                              std::size_t num_ranks) const {
        return path_of({std::string(application_id), num_ranks, "", true});
    }

    /// Saves a profile. A complete profile becomes a file of its own and removes the partial one
    /// with the same profile key. A partial profile replaces the previous partial one. No complete
    /// run is ever replaced, even when others save at the same time.
    /// @return  the path
    [[nodiscard]] Result<std::string> save(const Profile& profile) const;
    /// Publishes a profile: a file without a run's name, in place of the published profile of the
    /// same executable and number of ranks.
    /// @return  the path
    [[nodiscard]] Result<std::string> publish(const Profile& profile) const;

    struct Entry {
        std::string path;
        StoredName name;
        std::uint64_t size_bytes;
    };
    /// Lists the files whose names are those of profiles, sorted by name. A missing directory is an
    /// empty store.
    /// @param key  lists only files with this profile key; empty: all
    [[nodiscard]] Result<std::vector<Entry>> list(std::string_view key = {}) const;
    /// Lists the complete profiles of one executable and number of ranks: runs with the last one
    /// first, then the published one.
    /// Cost: the directory is read.
    [[nodiscard]] Result<std::vector<Entry>> runs_of(std::string_view application_id,
                                                     std::size_t num_ranks) const;

private:
    [[nodiscard]] Result<std::string> write(StoredName name, const Profile& profile,
                                            bool as_run) const;
    void remove_old_runs(const Profile& profile, const std::string& but) const;

    std::string directory_;
    Compress compress_;
    FileVisibility visibility_;
};

/// The files that stand for an executable on a number of ranks.
struct FoundRuns {
    std::vector<std::string> paths;
    std::vector<std::string> notes;  ///< about files that were passed over, a line each
};
/// Finds the profiles of an executable on a number of ranks, the last run first. The first store
/// that has any of these decides:
/// 1. Runs: the last ProfileStore::most_runs, as far as they have at most 256 MiB together.
/// 2. Without runs, the published or imported profile.
/// 3. Without that, the partial profile, if no rank is missing in it.
/// Files that open_stored_profile() refuses are passed over, with a note.
///
/// @param program  name of the program for the error message; empty: its identity
/// Errors: not_found; the message names a partial profile with ranks missing, and the rank counts
/// and tags that exist for this executable. io. corrupt or not_supported when all files found are
/// so.
/// Cost: the directories and the index of each profile found are read.
[[nodiscard]] Result<FoundRuns> find_runs(std::span<const ProfileStore> stores,
                                          std::string_view application_id, std::size_t num_ranks,
                                          std::string_view program = {});

/// Keeps the files that can be opened, with a note about each other file.
/// Errors: that of the first file, when none can be opened.
[[nodiscard]] Result<FoundRuns> pass_over_unusable(const std::vector<std::string>& paths);

/// A profile that was read from one or more files.
struct LoadedProfile {
    Profile profile;
    std::vector<std::string> notes;  ///< about files that were left out, a line each
};
/// Reads files and joins them to one profile (merge_runs()). Some files are left out, with a note,
/// as long as another file can be used:
/// - a file that cannot be read;
/// - a file of another program or number of ranks;
/// - a file without messages, when others have some.
///
/// @param paths           at least one
/// @param application_id  the program; empty: program and number of ranks are those of the first
///                        file
/// @param num_ranks       number of ranks; not used with an empty application_id
[[nodiscard]] Result<LoadedProfile> read_runs(const std::vector<std::string>& paths,
                                              std::string_view application_id = {},
                                              std::size_t num_ranks = 0);

}  // namespace commmap
