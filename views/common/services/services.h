#pragma once

#include <map>
#include <memory>
#include <typeindex>

namespace kurve::views {

/// What panels ask of the studio and of each other: interfaces, found by their type. An interface of several
/// panels is declared in views/common, one of a single panel beside it; each has functions that do nothing,
/// so that a panel works without the service. GUI thread.
class Services {
public:
    /// From now on `service` answers as T; it outlives all uses.
    template <class T>
    void offer(T& service) {
        services_[typeid(T)] = std::shared_ptr<void>(&service, [](void*) {});
    }
    /// Null while nothing answers as T.
    template <class T>
    [[nodiscard]] T* find() const {
        const auto found = services_.find(typeid(T));
        return found == services_.end() ? nullptr : static_cast<T*>(found->second.get());
    }
    /// A T that does nothing while nothing else answers. What a panel offers is asked for when it is needed,
    /// after Studio::make(), what the studio offers at any time.
    template <class T>
    [[nodiscard]] T& get() {
        if (T* service = find<T>()) return *service;
        services_[typeid(T)] = std::make_shared<T>();
        return *find<T>();
    }

private:
    std::map<std::type_index, std::shared_ptr<void>> services_;
};

}  // namespace kurve::views
