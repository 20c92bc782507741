#pragma once

#include <QAnyStringView>
#include <QString>
#include <QWidget>

namespace kurve::views {

/// How a control looks and behaves. What is null, empty or false stays as it is. GUI thread.
struct Look {
    QString text{};              ///< of a label or button
    QString placeholder{};       ///< of a text field
    const char* role = nullptr;  ///< in the style sheet ("caption", "quiet")
    bool filled = false;         ///< its background is that of its role
    bool wraps = false;          ///< its words go on in the next line
    bool shrinks = false;        ///< a label may be narrower than its text
    bool checkable = false;      ///< of a button
    bool clearable = false;      ///< a text field has a button that empties it
    bool selectable = false;     ///< the text of a label, with mouse and keyboard
    bool hidden = false;
    Qt::TextFormat format = Qt::AutoText;  ///< of a label
    int letters = 0;                       ///< width of a box with choices, however long they are
};

namespace detail {
void describe(QWidget& control, QAnyStringView id, const QString& name, const QString& tip, const Look& look);
}

/// Gives a control its object name ("launch.name"), the name that a screen reader says, its tool tip and its
/// look, and returns it. What is empty stays as it is.
template <class Control>
Control* describe(Control* control, QAnyStringView id, const QString& name = {}, const QString& tip = {},
                  const Look& look = {}) {
    detail::describe(*control, id, name, tip, look);
    return control;
}
template <class Control>
Control* describe(Control* control, QAnyStringView id, const QString& name, const Look& look) {
    return describe(control, id, name, {}, look);
}
template <class Control>
Control* describe(Control* control, QAnyStringView id, const Look& look) {
    return describe(control, id, {}, {}, look);
}
template <class Control>
Control* describe(Control* control, const Look& look) {
    return describe(control, {}, {}, {}, look);
}

/// Text of a label that is hidden while it has none.
template <class Label>
void showText(Label& label, const QString& text) {
    label.setText(text);
    label.setVisible(!text.isEmpty());
}

}  // namespace kurve::views
