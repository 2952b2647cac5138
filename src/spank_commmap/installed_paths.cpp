#include "spank_commmap/installed_paths.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "core/base/handle.hpp"

namespace commmap::spank {
namespace {

/// Absolute, without links and "..", or empty when it does not exist.
std::string resolved(const std::string& path) {
    const std::unique_ptr<char, FreeWith<std::free>> real(::realpath(path.c_str(), nullptr));
    return real ? real.get() : "";
}

}  // namespace

std::string library_directory() {
    static const char anchor = 0;
    Dl_info info{};
    if (::dladdr(&anchor, &info) != 0 && info.dli_fname != nullptr) {
        const std::string plugin = resolved(info.dli_fname);
        if (const auto slash = plugin.rfind('/'); slash != std::string::npos)
            return plugin.substr(0, slash);
    }
    return COMMMAP_LIBRARY_DIR;
}

std::string program_of(const Options& options) {
    if (!options.program.empty()) return options.program;
    const std::string beside = resolved(library_directory() + "/" COMMMAP_LIBRARY_TO_PROGRAM);
    return !beside.empty() && ::access(beside.c_str(), X_OK) == 0 ? beside : COMMMAP_PROGRAM;
}

}  // namespace commmap::spank
