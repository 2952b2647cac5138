#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace commmap::peers {

/// PUs in groups, groups in larger groups, up to one group of all. PU p's group at height h, from
/// 1, is p / pus_below(h).
struct PuTree {
    std::vector<std::int32_t> arities;     ///< from the lowest group upwards
    std::vector<std::uint64_t> distances;  ///< of two PUs whose lowest common group has this height
    [[nodiscard]] int height() const { return static_cast<int>(arities.size()); }
    [[nodiscard]] std::int32_t pus_below(int height) const;
    [[nodiscard]] std::int32_t num_pus() const { return pus_below(height()); }
    /// 0 of a PU to itself.
    [[nodiscard]] std::uint64_t distance(std::int32_t pu, std::int32_t other) const;
};

/// "8:2:8:8" and "1:10:100:1000". Errors: std::runtime_error with one line when a number is wrong,
/// they are not as many, the distances decrease or there are 2^31 PUs and more.
[[nodiscard]] PuTree parse_tree(const std::string& arities, const std::string& distances);

/// "0-63,70,80-99": ascending, each once; all when the text is empty. Errors: std::runtime_error
/// with one line when it is no such list or a PU is not below `num_pus`.
[[nodiscard]] std::vector<std::int32_t> parse_pus(const std::string& text, std::int32_t num_pus);

enum class Filling {
    block,  ///< one group after the other: the first PUs
    spread  ///< every group the same share of its PUs, rounded so that the sum is right
};

/// The PUs that get a rank each, ascending. Errors: std::runtime_error with one line when there are
/// more ranks than PUs. Cost: O(PUs * height).
[[nodiscard]] std::vector<std::int32_t> choose_pus(const PuTree& tree,
                                                   std::span<const std::int32_t> available,
                                                   std::int32_t ranks, Filling filling);

/// The PUs of each child of a group, for ascending `pus` of one group at `height`; children without
/// any are left out. Cost: O(children * log PUs).
[[nodiscard]] std::vector<std::span<const std::int32_t>> split_by_child(
    const PuTree& tree, std::span<const std::int32_t> pus, int height);

}  // namespace commmap::peers
