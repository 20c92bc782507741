#pragma once

#include <QStringList>
#include <functional>

namespace kurve::views {

/// A name elided to the available width so that it remains distinguishable from `peers`: whole where it fits,
/// else the longest form with a "…" that matches no other peer. Words (ended by - _ . / : or a space) stay
/// whole where possible. `width` measures a text in the unit of `available`. Empty only if nothing fits.
[[nodiscard]] QString distinguishingLabel(const QString& name, const QStringList& peers, int available,
                                          const std::function<int(const QString&)>& width);

/// The same for a number of characters.
[[nodiscard]] QString distinguishingLabel(const QString& name, const QStringList& peers, int characters);

}  // namespace kurve::views
