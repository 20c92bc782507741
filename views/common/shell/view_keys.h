#pragma once

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <functional>
#include <vector>

class QKeyEvent;
class QWidget;

namespace kurve::views {

/// The key sequence of a key press: "Shift+A", "?" for a symbol typed with Shift, "5" also on the keypad;
/// empty for a modifier alone.
[[nodiscard]] QKeySequence keyOf(const QKeyEvent& event);

/// A key of a view.
struct ViewKey {
    QList<QKeySequence> keys;
    QString meaning;                  ///< "Next point"
    std::function<void()> press;      ///< repeated while the key is held
    std::function<void()> release{};  ///< ends what lasts while the key is held; also on focus out
    std::function<bool()> when{};     ///< false: the press is not handled
    /// Instead of `keys`, for keys that depend on other keys.
    std::function<QList<QKeySequence>()> keysNow{};

    [[nodiscard]] QList<QKeySequence> allKeys() const { return keysNow ? keysNow() : keys; }
};

/// The keys that a widget handles itself while it or a child has the focus, before any action of the window:
/// no commands of the registry because they belong to a repeated part (a chart), to a field, or to a held
/// key. The table is executed and listed by F1. GUI thread.
class ViewKeys : public QObject {
    Q_OBJECT
public:
    /// `title` names the kind of widget in F1: "Chart". The widget owns this.
    ViewKeys(QWidget* view, const QString& title);
    void add(ViewKey key) { keys_.push_back(std::move(key)); }
    [[nodiscard]] const QString& title() const { return title_; }
    [[nodiscard]] const std::vector<ViewKey>& keys() const { return keys_; }
    [[nodiscard]] QWidget* view() const { return view_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] const ViewKey* find(const QKeyEvent& event) const;
    void releaseHeld();

    QWidget* view_;
    QString title_;
    std::vector<ViewKey> keys_;
    int held_ = 0;  ///< the key whose release is awaited; 0: none
    std::function<void()> release_{};
};

}  // namespace kurve::views
