#include "cli/profile_verify.hpp"

#include <string_view>

#include "core/base/one_line.hpp"
#include "core/profile/store.hpp"

namespace commmap::cli {

Status check_stored_name(const std::string& path, const ProfileFile& profile) {
    const std::string& id = profile.head().application_id;
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    if (kind_of(name) == kind_name(id, profile.num_ranks())) return Ok{};
    return Error{Errc::corrupt, "'" + path + "' is of '" + one_line(id) + "' on " +
                                    std::to_string(profile.num_ranks()) +
                                    " ranks, which is not what its name says; move it away"};
}

Result<std::string> verify_profile_file(const std::string& path, bool stored) {
    const auto file = open_profile_file(path);
    if (!file) return file.error();
    if (stored)
        if (Status named = check_stored_name(path, file.value()); !named) return named.error();
    std::string damaged;
    const auto check = [&](const auto& part) {
        if (!part) damaged += (damaged.empty() ? "" : "; ") + part.error().message;
    };
    check(file.value().ranks());
    check(file.value().communicators());
    for (std::size_t i = 0; i < file.value().phases().size(); ++i) check(file.value().phase(i));
    if (!damaged.empty()) return Error{Errc::corrupt, "'" + path + "' is damaged: " + damaged};
    const std::size_t phases = file.value().phases().size();
    return "'" + path + "' is whole: " + std::to_string(file.value().num_ranks()) + " ranks, " +
           std::to_string(phases) + (phases == 1 ? " phase" : " phases");
}

}  // namespace commmap::cli
