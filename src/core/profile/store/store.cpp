// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/store/store.hpp"

#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "core/base/file.hpp"
#include "core/base/handle.hpp"

namespace commmap {
namespace {

Result<std::string> content_of(const Profile& profile, Compress compress, const std::string& path) {
    if (const Status fits = check_section_sizes(profile); !fits)
        return Error{fits.error().code,
                     fmt::format("cannot write the profile '{}': {}", path, fits.error().message)};
    std::string content = encode_profile(profile, compress);
    if (content.size() > max_profile_bytes)
        return Error{Errc::out_of_range,
                     fmt::format("the profile '{}' would have {} bytes, more than a profile can "
                                 "hold ({}); record a run on fewer ranks",
                                 path, content.size(), max_profile_bytes)};
    return content;
}

}  // namespace

Status write_profile_file(const std::string& path, const Profile& profile, Compress compress) {
    const auto slash = path.rfind('/');
    if (slash != std::string::npos && slash > 0)
        if (Status made = make_directories(path.substr(0, slash)); !made) return made;
    const auto content = content_of(profile, compress, path);
    if (!content) return content.error();
    return write_file_atomically(path, content.value());
}

Result<std::string> ProfileStore::write(StoredName name, const Profile& profile,
                                        bool as_run) const {
    const FileModes modes = modes_of(visibility_);
    if (Status made = make_directories(directory_, modes.directory); !made) return made.error();
    const auto content = content_of(profile, compress_, path_of(name));
    if (!content) return content.error();
    if (as_run)
        name.run =
            run_name(profile.recorded_unix_s, profile.job_id, profile.step_id, content.value());
    std::string path = path_of(name);
    if (Status written = write_file_atomically(path, content.value(), modes.file); !written)
        return written.error();
    return path;
}

Result<std::string> ProfileStore::save(const Profile& profile) const {
    auto path = write({profile.application_id, profile.num_ranks(), "", !profile.complete}, profile,
                      profile.complete);
    if (path && profile.complete) {
        ::unlink(partial_path_of(profile.application_id, profile.num_ranks()).c_str());
        remove_old_runs(profile, path.value());
    }
    return path;
}

Result<std::string> ProfileStore::publish(const Profile& profile) const {
    return write({profile.application_id, profile.num_ranks(), "", false}, profile, false);
}

/// Removes all runs but the last ones.
/// @param but  path of the run just saved, which stays: another machine's clock may call it old
void ProfileStore::remove_old_runs(const Profile& profile, const std::string& but) const {
    auto runs = runs_of(profile.application_id, profile.num_ranks());
    if (!runs) return;
    for (std::size_t i = most_runs; i < runs.value().size(); ++i)
        if (const Entry& run = runs.value()[i]; !run.name.run.empty() && run.path != but)
            ::unlink(run.path.c_str());
}

Result<std::vector<ProfileStore::Entry>> ProfileStore::list(std::string_view key) const {
    const std::unique_ptr<DIR, FreeWith<::closedir>> directory(::opendir(directory_.c_str()));
    std::vector<Entry> entries;
    if (!directory) {
        if (errno == ENOENT) return entries;
        return Error{Errc::io, fmt::format("cannot list the profiles in '{}': {}", directory_,
                                           std::strerror(errno))};
    }
    while (const dirent* file = ::readdir(directory.get())) {
        auto name = parse_stored_name(file->d_name);
        if (!name || (!key.empty() && profile_key_of(file->d_name) != key)) continue;
        Entry entry{directory_ + "/" + file->d_name, std::move(*name), 0};
        struct stat status {};
        if (::stat(entry.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        entry.size_bytes = static_cast<std::uint64_t>(status.st_size);
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
    return entries;
}

Result<std::vector<ProfileStore::Entry>> ProfileStore::runs_of(std::string_view application_id,
                                                               std::size_t num_ranks) const {
    auto entries = list(profile_key(application_id, num_ranks));
    if (!entries) return entries;
    std::erase_if(entries.value(), [](const Entry& entry) { return entry.name.partial; });
    std::sort(entries.value().begin(), entries.value().end(),
              [](const Entry& a, const Entry& b) { return is_read_before(a.name, b.name); });
    return entries;
}

}  // namespace commmap
