#pragma once

#include <QJsonValue>
#include <QString>
#include <array>

namespace kurve::views {

/// The ids of an enumeration's values, or of a box's items, in their order: what a session keeps of them
/// stays right when others are added or moved.
template <std::size_t N>
using ChoiceIds = std::array<const char*, N>;

template <std::size_t N>
QString savedChoice(const ChoiceIds<N>& ids, int chosen) {
    return chosen < 0 || chosen >= static_cast<int>(N) ? QString()
                                                       : QLatin1String(ids[static_cast<std::size_t>(chosen)]);
}

/// The index of a saved id; `fallback` where there is none such.
template <std::size_t N>
int choiceOf(const ChoiceIds<N>& ids, const QJsonValue& saved, int fallback = 0) {
    for (std::size_t i = 0; i < N; ++i)
        if (saved.toString() == QLatin1String(ids[i])) return static_cast<int>(i);
    return fallback;
}

}  // namespace kurve::views
