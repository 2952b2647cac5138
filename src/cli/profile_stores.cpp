// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile_stores.hpp"

#include <string>
#include <utility>

#include "core/config/sources.hpp"

namespace commmap::cli {

Result<ProfileStore> own_store(const Options& options) {
    auto directory = profile_directory(options);
    if (!directory) return directory.error();
    return ProfileStore(std::move(directory).value(), compress_zstd, options.profile_visibility);
}

Result<ProfileStore> site_store(const Options& options) {
    if (options.site_profiles.empty())
        return Error{Errc::invalid_input,
                     "which directory has the site's profiles? give --site-profiles DIR"};
    return ProfileStore(options.site_profiles, compress_zstd, FileVisibility::everybody);
}

Result<std::vector<ProfileStore>> profile_stores(const Options& options) {
    auto own = own_store(options);
    if (!own) return own.error();
    std::vector<ProfileStore> stores = {std::move(own).value()};
    if (!options.site_profiles.empty()) stores.push_back(site_store(options).value());
    return stores;
}

}  // namespace commmap::cli
