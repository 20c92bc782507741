#pragma once

#include <QStringList>
#include <functional>

namespace kurve::views {

/// A name shortened to the room there is so that it still can be told from those beside it: whole where it
/// fits, else the longest form with a "…" that stands for none of `peers` but this name. Words (ended by - _
/// . / : or a space) stay whole where they can. `width` measures a text in the unit of `room`. Empty only if
/// nothing fits.
[[nodiscard]] QString tellingName(const QString& name, const QStringList& peers, int room,
                                  const std::function<int(const QString&)>& width);

/// The same for a room of so many characters.
[[nodiscard]] QString tellingName(const QString& name, const QStringList& peers, int characters);

}  // namespace kurve::views
