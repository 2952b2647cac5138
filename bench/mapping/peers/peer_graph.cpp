#include "peers/peer_graph.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace commmap::peers {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string read_text(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) throw std::runtime_error("cannot read " + path + ": " + error.message());
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    std::string text(size, '\0');
    if (!file || std::fread(text.data(), 1, text.size(), file.get()) != text.size())
        throw std::runtime_error("cannot read " + path);
    return text;
}

/// Numbers of a text, line by line; lines that start with % are none.
class Lines {
public:
    Lines(std::string_view text, std::string path)
        : at_(text.data()), end_(text.data() + text.size()), path_(std::move(path)) {}

    /// False: there is no further line.
    bool next() {
        do {
            if (number_ > 0) at_ = std::min(end_, std::find(at_, end_, '\n') + 1);
            ++number_;
            if (at_ == end_) return false;
        } while (*at_ == '%');
        return true;
    }

    /// Nothing at the end of the line.
    std::optional<std::uint64_t> number() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
        if (at_ == end_ || *at_ == '\n') return std::nullopt;
        std::uint64_t value = 0;
        const auto [stop, code] = std::from_chars(at_, end_, value);
        if (code != std::errc{}) fail("has something that is no number");
        at_ = stop;
        return value;
    }

    std::uint64_t number_or_fail(const char* what) {
        const auto value = number();
        if (!value) fail("lacks " + std::string(what));
        return *value;
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw std::runtime_error(path_ + ": line " + std::to_string(number_) + " " + problem);
    }

private:
    const char* at_;
    const char* end_;
    std::string path_;
    std::uint64_t number_ = 0;
};

/// The finalizer of splitmix64.
std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

std::uint64_t hash_of(std::uint64_t low, std::uint64_t high, std::uint64_t weight) {
    return mix(mix((low << 32U) + high) + weight);
}

struct Header {
    std::uint64_t ranks;
    std::uint64_t edges;
    bool weighted;
};

Header read_header(Lines& lines) {
    if (!lines.next()) lines.fail("should say how many vertices and edges there are");
    const Header header{lines.number_or_fail("the number of vertices"),
                        lines.number_or_fail("the number of edges"), false};
    const std::uint64_t format = lines.number().value_or(0);
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    if (header.ranks >= most || header.edges > most / 2)
        lines.fail("has more vertices or edges than 32-bit indices");
    if (format > 1) lines.fail("has a format other than 0 and 001");
    return {header.ranks, header.edges, format == 1};
}

}  // namespace

PeerGraph read_graph(const std::string& path) {
    const std::string text = read_text(path);
    Lines lines(text, path);
    const auto [ranks, edges, weighted] = read_header(lines);
    PeerGraph graph;
    graph.first.reserve(ranks + 1);
    graph.neighbours.reserve(2 * edges);
    graph.weights.reserve(2 * edges);
    std::uint64_t one_end_only = 0;  // 0 when what is added at one end is taken off at the other
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        if (!lines.next()) lines.fail("should be vertex " + std::to_string(rank + 1));
        while (const auto neighbour = lines.number()) {
            const std::uint64_t weight = weighted ? lines.number_or_fail("a weight") : 1;
            const std::uint64_t other = *neighbour - 1;  // of 0: too large
            if (other >= ranks || other == rank || graph.weights.size() == 2 * edges)
                lines.fail("has a wrong neighbour, or one too many");
            one_end_only += rank < other ? hash_of(rank, other, weight)
                                         : std::uint64_t{0} - hash_of(other, rank, weight);
            graph.neighbours.push_back(static_cast<std::int32_t>(other));
            graph.weights.push_back(weight);
        }
        graph.first.push_back(static_cast<std::int32_t>(graph.weights.size()));
    }
    if (graph.weights.size() != 2 * edges || one_end_only != 0)
        throw std::runtime_error(path + ": not every edge is at both of its ends");
    return graph;
}

}  // namespace commmap::peers
