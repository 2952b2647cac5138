#include "pmix_hooks/request_table.hpp"

namespace commmap::hooks {

bool RequestTable::open(Arena& arena) noexcept {
    arena_ = &arena;
    slots_ = arena.make_array<Node*>(num_slots);
    return slots_ != nullptr;
}

bool RequestTable::insert(MPI_Request request, Send send) noexcept {
    const std::lock_guard lock(mutex_);
    Node*& head = slot(request);
    for (Node* node = head; node != nullptr; node = node->next)
        if (node->request == request) {
            node->send = send;
            return true;
        }
    Node* node = unused_;
    if (node != nullptr)
        unused_ = node->next;
    else
        node = arena_->make<Node>();
    if (node == nullptr) return false;
    *node = {request, send, head};
    head = node;
    return true;
}

void RequestTable::erase(MPI_Request request) noexcept {
    const std::lock_guard lock(mutex_);
    for (Node** at = &slot(request); *at != nullptr; at = &(*at)->next)
        if ((*at)->request == request) {
            Node* node = *at;
            *at = node->next;
            node->next = unused_;
            unused_ = node;
            return;
        }
}

bool RequestTable::find(MPI_Request request, Send& send) noexcept {
    const std::lock_guard lock(mutex_);
    for (const Node* node = slot(request); node != nullptr; node = node->next)
        if (node->request == request) {
            send = node->send;
            return true;
        }
    return false;
}

}  // namespace commmap::hooks
