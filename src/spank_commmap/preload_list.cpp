#include "spank_commmap/preload_list.hpp"

#include <algorithm>
#include <vector>

namespace commmap::spank {
namespace {

constexpr std::string_view separators = ": \t\n";

std::vector<std::string_view> entries_of(std::string_view list) {
    std::vector<std::string_view> entries;
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
        if (end > begin) entries.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return entries;
}

}  // namespace

std::string with_entry(std::string_view list, std::string_view entry) {
    const auto entries = entries_of(list);
    if (std::find(entries.begin(), entries.end(), entry) != entries.end()) return std::string(list);
    return entries.empty() ? std::string(entry) : std::string(list) + ":" + std::string(entry);
}

std::string without_file(std::string_view list, std::string_view file) {
    std::string kept;
    for (const std::string_view entry : entries_of(list)) {
        const auto slash = entry.rfind('/');
        if ((slash == std::string_view::npos ? entry : entry.substr(slash + 1)) == file) continue;
        if (!kept.empty()) kept += ':';
        kept += entry;
    }
    return kept;
}

bool can_be_preloaded(std::string_view path) {
    return path.find_first_of(separators) == std::string_view::npos;
}

}  // namespace commmap::spank
