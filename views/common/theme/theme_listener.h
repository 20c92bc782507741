#pragma once

#include <QObject>
#include <QPalette>
#include <functional>
#include <type_traits>
#include <utility>

#include "views/common/theme/theme.h"

class QWidget;

namespace kurve::views {

/// What a part of the window redraws or re-reads when the theme changes, or while a figure of it is drawn in
/// another one. A child of its owner. GUI thread.
class ThemeListener : public QObject {
    Q_OBJECT
public:
    ThemeListener(QObject* owner, std::function<void()> restyle);
    void restyle() const { restyle_(); }

private:
    std::function<void()> restyle_;
};

/// `restyle`: a member function of the owner, or what else can be called.
template <class Owner, class Restyle>
void onThemeChange(Owner* owner, Restyle restyle) {
    if constexpr (std::is_member_function_pointer_v<Restyle>)
        new ThemeListener(owner, [owner, restyle] { (owner->*restyle)(); });
    else
        new ThemeListener(owner, std::move(restyle));
}

/// The light theme for as long as a figure of a view is drawn, in its panel only: the window and its other
/// panels keep theirs. No event loop may run meanwhile. GUI thread.
class PrintTheme {
public:
    explicit PrintTheme(QWidget& view);
    ~PrintTheme();
    PrintTheme(const PrintTheme&) = delete;
    PrintTheme& operator=(const PrintTheme&) = delete;

private:
    void restyle(const QPalette& palette, const QString& sheet);

    QWidget &view_, &panel_;
    Theme before_;
    QPalette palette_;
    QString sheet_;
};

}  // namespace kurve::views
