#include "pmix_hooks/handover.hpp"

#include <time.h>

#include <cstdint>
#include <exception>
#include <vector>

namespace commmap::hooks {
namespace {

/// A report that is too long for announced_key.
constexpr const char* report_key = "commmap.report";

void sleep_ns(std::int64_t ns) noexcept {
    const timespec nap{.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    ::nanosleep(&nap, nullptr);
}

/// Its rank puts it when the fence is over for it, which may be later than for rank 0.
PmixValue report_that_follows(int rank, const PmixSession& pmix) noexcept {
    constexpr std::int64_t longest_ns = 10000000000;
    std::int64_t nap_ns = 500000;
    for (std::int64_t waited_ns = 0; waited_ns < longest_ns; waited_ns += nap_ns, nap_ns *= 2) {
        if (PmixValue value = key_of(rank, report_key, pmix, PmixSession::Reach::job)) return value;
        sleep_ns(nap_ns);
    }
    return nullptr;
}

}  // namespace

Handover::Handover(int rank, int size, std::string_view report) noexcept
    : report_(rank == 0 ? std::string_view{} : report),  // rank 0 has its own
      kind_(report_.size() <= most_short_bytes(size) ? Kind::whole
            : report_.size() <= most_bytes           ? Kind::follows
                                                     : Kind::too_long) {}

void Handover::announce(const PmixLibrary& pmix) const noexcept {
    try {
        std::string bytes(1, static_cast<char>(kind_));
        if (kind_ == Kind::whole) bytes += report_;
        put_key(pmix, announced_key, bytes_value(bytes));
    } catch (const std::exception&) {
        // No memory for a KiB: the report counts as lost, and this rank as here.
        put_key(pmix, announced_key, true_value());
    }
}

void Handover::follow_up(const PmixLibrary& pmix) const noexcept {
    if (kind_ == Kind::follows && put_key(pmix, report_key, bytes_value(report_)))
        commit_keys(pmix);
}

KeyHolders Handover::collect(const PmixSession& pmix, int size, Gathered& reports) {
    reports = {.end = Gathered::End::complete, .reports = {}};
    std::vector<int> following;
    const auto look = [&](int rank, const pmix_value_t& value) {
        if (rank == 0) return;
        const std::string_view bytes = bytes_in(value);
        if (bytes.empty())
            reports = {};
        else if (bytes.front() == static_cast<char>(Kind::follows))
            following.push_back(rank);
        else if (bytes.front() == static_cast<char>(Kind::too_long))
            reports = {.end = Gathered::End::too_large, .reports = {}};
        else
            keep_report(reports, bytes.substr(1));
    };
    const KeyHolders found = holders_of(announced_key, pmix, size, look);
    if (found.first_without >= 0) return found;
    std::size_t bytes = 0;
    for (const int rank : following) {
        if (reports.end != Gathered::End::complete) break;
        const PmixValue report = report_that_follows(rank, pmix);
        if (report == nullptr)
            reports = {};
        else if ((bytes += bytes_in(*report).size()) > max_gathered_bytes)
            reports = {.end = Gathered::End::too_large, .reports = {}};
        else
            keep_report(reports, bytes_in(*report));
    }
    return found;
}

}  // namespace commmap::hooks
