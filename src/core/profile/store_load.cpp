// What reads profiles, apart from what writes them: the recorder, loaded into programs, only
// writes.
#include <algorithm>

#include "core/base/file.hpp"
#include "core/profile/store.hpp"

namespace commmap {
namespace {

constexpr const char* record_again = "; record it again with srun --commmap=profile";
constexpr const char* remove_and_record_again =
    "; remove it and record it again with srun --commmap=profile";
constexpr const char* update_or_record_again =
    "; use a newer commmap or record it again with srun --commmap=profile";

/// Of what is in the file: which file, and the way out.
Error explained(const std::string& path, const Error& e) {
    return {e.code, "cannot use the profile '" + path + "': " + e.message +
                        (e.code == Errc::not_supported ? update_or_record_again : record_again)};
}

}  // namespace

Result<ProfileFile> open_profile_file(const std::string& path) {
    auto opened = open_file(path, max_profile_bytes);
    if (!opened) {
        const Error& e = opened.error();
        const bool in_the_way = e.code == Errc::invalid_input;
        return Error{e.code, e.message + (in_the_way ? remove_and_record_again : record_again)};
    }
    auto file = ProfileFile::of_file(std::move(opened).value());
    if (!file) return explained(path, file.error());
    return file;
}

Result<Profile> read_profile_file(const std::string& path) {
    const auto file = open_profile_file(path);
    if (!file) return file.error();
    auto profile = file.value().whole();
    if (!profile) return explained(path, profile.error());
    return profile;
}

Result<Profile> ProfileStore::load(std::string_view application_id, std::size_t num_ranks,
                                   std::string_view program) const {
    std::string path = path_of(application_id, num_ranks);
    Result<Profile> profile = read_profile_file(path);
    std::string partial;
    if (!profile && profile.error().code == Errc::not_found) {
        path = partial_path_of(application_id, num_ranks);
        profile = read_profile_file(path);
        if (profile && !profile.value().missing.empty()) {
            partial = "; of '" + path + "' " + std::to_string(profile.value().missing.size()) +
                      " ranks are missing";
            profile = Error{Errc::not_found, ""};
        }
    }
    if (profile) {
        const Profile& found = profile.value();
        if (found.application_id == application_id && found.num_ranks() == num_ranks)
            return profile;
        return Error{Errc::corrupt, "cannot use the profile '" + path + "': it is of '" +
                                        found.application_id + "' on " +
                                        std::to_string(found.num_ranks()) +
                                        " ranks, not what its name says" + record_again};
    }
    if (profile.error().code != Errc::not_found) return profile;

    std::vector<std::size_t> others;
    if (const auto entries = list_of(application_id))
        for (const Entry& entry : entries.value())
            if (!entry.partial) others.push_back(entry.num_ranks);
    std::sort(others.begin(), others.end());
    const std::string_view called = program.empty() ? application_id : program;
    std::string message = "no profile of '" + std::string(called) + "' on " +
                          std::to_string(num_ranks) + (num_ranks == 1 ? " rank" : " ranks") +
                          " in '" + directory_ + "'";
    for (std::size_t i = 0; i < others.size(); ++i)
        message += (i == 0 ? " (there is one for " : ", ") + std::to_string(others[i]);
    if (!others.empty()) message += " ranks)";
    return Error{Errc::not_found, message + partial + "; record one with srun --commmap=profile"};
}

}  // namespace commmap
