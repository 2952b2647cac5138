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

/// Reads and checks one file; errors name the file and what to do.
[[nodiscard]] Result<ProfileFile> open_profile_file(const std::string& path);
/// The same of a file in a store, which has to be of the program and number of ranks that its name
/// says: one of another program, put there by hand, is refused.
[[nodiscard]] Result<ProfileFile> open_stored_profile(const std::string& path);
/// All of it.
[[nodiscard]] Result<Profile> read_profile_file(const std::string& path);
/// Atomic replace; makes the directory (0700) when it is missing. @param compress  null: nothing is
[[nodiscard]] Status write_profile_file(const std::string& path, const Profile& profile,
                                        Compress compress = nullptr);

/// A directory of profiles: a file for each run, named by executable and number of ranks
/// (docs/user/profile-store.md).
class ProfileStore {
public:
    /// Older runs than the last so many of an executable and number of ranks are removed when one
    /// is saved.
    static constexpr std::size_t most_runs = 8;

    /// @param compress  for what is saved; null: nothing is compressed
    explicit ProfileStore(std::string directory, Compress compress = nullptr,
                          FileVisibility visibility = FileVisibility::user)
        : directory_(std::move(directory)), compress_(compress), visibility_(visibility) {}

    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] std::string path_of(const StoredName& name) const {
        return directory_ + "/" + file_name_of(name);
    }
    /// Of a run that ended early, beside the complete ones.
    [[nodiscard]] std::string partial_path_of(std::string_view application_id,
                                              std::size_t num_ranks) const {
        return path_of({std::string(application_id), num_ranks, "", true});
    }

    /// A run of its own, or the partial one of its kind; a complete one removes the partial one.
    /// Returns the path. Never in place of another run, whoever else saves at the same time.
    [[nodiscard]] Result<std::string> save(const Profile& profile) const;
    /// In place of what was published before under the same identity and number of ranks: a file
    /// without a run's name. Returns the path.
    [[nodiscard]] Result<std::string> publish(const Profile& profile) const;

    struct Entry {
        std::string path;
        StoredName name;
        std::uint64_t size_bytes;
    };
    /// Files of the right name, sorted by name; an absent directory is an empty store.
    /// @param kind  of these alone (profile_key()); empty: all. The others are not looked at
    [[nodiscard]] Result<std::vector<Entry>> list(std::string_view kind = {}) const;
    /// Complete profiles of one executable and number of ranks, the last first, what was published
    /// behind the runs. Cost: the directory is read.
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

struct FoundRuns {
    std::vector<std::string> paths;
    std::vector<std::string> notes;  ///< about files that were passed over, a line each
};
/// The profiles that stand for an executable on a number of ranks, the last first: of the first
/// store that has any the last ProfileStore::most_runs runs, as far as they are no larger than
/// 256 MiB together; without a run what has no run's name (published, imported); where there is
/// none either, the partial profile if no rank is missing in it. What open_stored_profile() refuses
/// is passed over.
/// Errors: not_found; its message names a partial one with ranks missing, and the rank counts and
/// tags that exist for this executable; io; corrupt, not_supported (there is none but such).
/// Cost: the directories are read, and an index of each profile found.
/// @param program  what people call it, for that message; empty: its identity
[[nodiscard]] Result<FoundRuns> find_runs(std::span<const ProfileStore> stores,
                                          std::string_view application_id, std::size_t num_ranks,
                                          std::string_view program = {});

/// Of files in a store those that can be opened, with a note about each other one. Errors: of the
/// first, when there is none.
[[nodiscard]] Result<FoundRuns> pass_over_unusable(const std::vector<std::string>& paths);

struct LoadedProfile {
    Profile profile;
    std::vector<std::string> notes;  ///< about files that were left out, a line each
};
/// Those files as one profile (merge_runs()). One that cannot be read, or is not of that program
/// and number of ranks, is left out while another can be used.
/// @param paths           at least one
/// @param application_id  empty: of the first one's program
[[nodiscard]] Result<LoadedProfile> read_runs(const std::vector<std::string>& paths,
                                              std::string_view application_id = {},
                                              std::size_t num_ranks = 0);

}  // namespace commmap
