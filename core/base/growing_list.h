#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

namespace kurve {

/// A list that only grows at its end and whose copies share what they have in common: copying it costs
/// nothing, and adding to a copy that is at the end of what is stored costs no more than to a vector. Each
/// copy behaves as a value of its own. One thread at a time may use a copy; different copies may be in
/// different threads. T: default constructible.
template <class T>
class GrowingList {
public:
    using value_type = T;
    GrowingList() = default;
    template <std::input_iterator It>
    GrowingList(It first, It last) {
        append(first, last);
    }

    GrowingList(std::initializer_list<T> items) { append(items.begin(), items.end()); }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] const T* data() const { return store_ ? store_->items.get() : nullptr; }
    [[nodiscard]] const T* begin() const { return data(); }
    [[nodiscard]] const T* end() const { return data() + size_; }
    [[nodiscard]] auto rbegin() const { return std::make_reverse_iterator(end()); }
    [[nodiscard]] auto rend() const { return std::make_reverse_iterator(begin()); }
    [[nodiscard]] const T& operator[](std::size_t i) const { return data()[i]; }
    [[nodiscard]] const T& front() const { return data()[0]; }
    [[nodiscard]] const T& back() const { return data()[size_ - 1]; }

    void push_back(T value) { *claim(1) = std::move(value); }
    template <std::input_iterator It>
    void append(It first, It last) {
        const auto count = static_cast<std::size_t>(std::distance(first, last));
        if (count == 0) return;
        for (T* to = claim(count); first != last; ++first) *to++ = *first;
    }
    void pop_back() { --size_; }
    void clear() { *this = {}; }
    /// The same items in the same storage, which says that they are equal without looking at them.
    [[nodiscard]] bool isSameAs(const GrowingList& other) const {
        return store_ == other.store_ && size_ == other.size_;
    }
    friend bool operator==(const GrowingList& a, const GrowingList& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    struct Store {
        // Without values: numbers that are not there yet take no pages.
        explicit Store(std::size_t size) : capacity(size), items(std::make_unique_for_overwrite<T[]>(size)) {}
        const std::size_t capacity;
        std::atomic<std::size_t> used = 0;  ///< items that some copy has; they never change
        const std::unique_ptr<T[]> items;
    };

    /// Room for `count` more that no other copy has; they count from now on.
    T* claim(std::size_t count) {
        std::size_t mine = size_;
        const bool isMine = store_ && mine + count <= store_->capacity &&
                            store_->used.compare_exchange_strong(mine, size_ + count);
        if (!isMine) {
            auto grown = std::make_shared<Store>(std::max<std::size_t>({16, 2 * size_, size_ + count}));
            std::copy(begin(), end(), grown->items.get());
            grown->used = size_ + count;
            store_ = std::move(grown);
        }
        return store_->items.get() + std::exchange(size_, size_ + count);
    }

    std::shared_ptr<Store> store_;
    std::size_t size_ = 0;
};

}  // namespace kurve
