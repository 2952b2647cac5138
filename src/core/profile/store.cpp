#include "core/profile/store.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "core/base/file.hpp"
#include "core/base/handle.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

constexpr std::string_view suffix = ".commmap";
constexpr std::string_view partial_suffix = ".partial";  // behind that
/// Identities of executables have at most 50 letters; NAME_MAX is 255.
constexpr std::size_t max_id_letters = 160;
/// "build-id:" and "xxh128:" turn into "build-id-" and "xxh128-": a colon in a file name is a
/// nuisance.
constexpr std::string_view schemes[] = {"build-id", "xxh128"};

std::string_view scheme_of(std::string_view text, char separator) {
    for (const std::string_view scheme : schemes)
        if (text.size() > scheme.size() && text.starts_with(scheme) &&
            text[scheme.size()] == separator)
            return scheme;
    return {};
}

bool is_safe(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.';
}

/// Letters, digits, '-', '_' and '.' stay as they are (not a '.' in front), everything else becomes
/// %XX.
std::string file_stem_of(std::string_view id) {
    constexpr const char* digits = "0123456789ABCDEF";
    const std::string_view scheme = scheme_of(id, ':');
    std::string stem;
    for (std::size_t i = 0; i < id.size(); ++i) {
        const char c = id[i];
        if (!scheme.empty() && i == scheme.size()) {
            stem += '-';
        } else if (is_safe(c) && !(c == '.' && stem.empty())) {
            stem += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            stem += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    if (stem.size() > max_id_letters) {
        char hash[17];
        std::snprintf(hash, sizeof hash, "%016llx",
                      static_cast<unsigned long long>(XXH3_64bits(id.data(), id.size())));
        stem = stem.substr(0, max_id_letters) + "-" + hash;
    }
    return stem;
}

std::string id_of_file_stem(std::string_view stem) {
    const std::string_view scheme = scheme_of(stem, '-');
    std::string id;
    for (std::size_t i = 0; i < stem.size(); ++i) {
        unsigned byte = 0;
        if (!scheme.empty() && i == scheme.size()) {
            id += ':';
        } else if (stem[i] == '%' && i + 2 < stem.size() &&
                   std::from_chars(&stem[i + 1], &stem[i + 1] + 2, byte, 16).ptr ==
                       &stem[i + 1] + 2) {
            id += static_cast<char>(byte);
            i += 2;
        } else {
            id += stem[i];
        }
    }
    return id;
}

}  // namespace

Status write_profile_file(const std::string& path, const Profile& profile, Compress compress) {
    const auto slash = path.rfind('/');
    if (slash != std::string::npos && slash > 0)
        if (Status made = make_directories(path.substr(0, slash)); !made) return made;
    if (const Status fits = check_section_sizes(profile); !fits)
        return Error{fits.error().code,
                     "cannot write the profile '" + path + "': " + fits.error().message};
    const std::string content = encode_profile(profile, compress);
    if (content.size() > max_profile_bytes)
        return Error{Errc::out_of_range,
                     "the profile '" + path + "' would have " + std::to_string(content.size()) +
                         " bytes, more than a profile can hold (" +
                         std::to_string(max_profile_bytes) + "); record a run on fewer ranks"};
    return write_file_atomically(path, content);
}

std::string ProfileStore::path_of(std::string_view application_id, std::size_t num_ranks) const {
    return directory_ + "/" + file_stem_of(application_id) + "-np" + std::to_string(num_ranks) +
           std::string(suffix);
}

std::string ProfileStore::partial_path_of(std::string_view application_id,
                                          std::size_t num_ranks) const {
    return path_of(application_id, num_ranks) + std::string(partial_suffix);
}

Status ProfileStore::save(const Profile& profile) const {
    const auto path = profile.complete
                          ? path_of(profile.application_id, profile.num_ranks())
                          : partial_path_of(profile.application_id, profile.num_ranks());
    Status written = write_profile_file(path, profile, compress_);
    if (written && profile.complete)
        ::unlink(partial_path_of(profile.application_id, profile.num_ranks()).c_str());
    return written;
}

Result<std::vector<ProfileStore::Entry>> ProfileStore::list_of(
    std::string_view application_id) const {
    auto entries = list();
    if (entries) {
        const std::string stem = file_stem_of(application_id);
        std::erase_if(entries.value(), [&](const Entry& entry) {
            return file_stem_of(entry.application_id) != stem ||
                   (entry.partial &&
                    ::access(path_of(application_id, entry.num_ranks).c_str(), F_OK) == 0);
        });
    }
    return entries;
}

Result<std::vector<ProfileStore::Entry>> ProfileStore::list() const {
    const std::unique_ptr<DIR, FreeWith<::closedir>> directory(::opendir(directory_.c_str()));
    std::vector<Entry> entries;
    if (!directory) {
        if (errno == ENOENT) return entries;
        return Error{Errc::io,
                     "cannot list the profiles in '" + directory_ + "': " + std::strerror(errno)};
    }
    while (const dirent* file = ::readdir(directory.get())) {
        std::string_view name = file->d_name;
        const bool partial = name.ends_with(partial_suffix);
        if (partial) name.remove_suffix(partial_suffix.size());
        if (!name.ends_with(suffix)) continue;
        name.remove_suffix(suffix.size());
        const auto np = name.rfind("-np");
        if (np == std::string_view::npos || np == 0) continue;
        Entry entry{directory_ + "/" + file->d_name, id_of_file_stem(name.substr(0, np)), 0, 0,
                    partial};
        const std::string_view digits = name.substr(np + 3);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), entry.num_ranks);
        if (error != std::errc{} || end != digits.data() + digits.size()) continue;
        struct stat status {};
        if (::stat(entry.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        entry.size_bytes = static_cast<std::uint64_t>(status.st_size);
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
    return entries;
}

}  // namespace commmap
