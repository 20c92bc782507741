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

/// What a key press is called: "Shift+A", "?" for a sign that is typed with Shift, "5" also on the keypad;
/// empty for a modifier alone.
[[nodiscard]] QKeySequence keyOf(const QKeyEvent& event);

/// One thing that a view does at a key of its own.
struct ViewKey {
    QList<QKeySequence> keys;
    QString meaning;                  ///< "The next point, with its values"
    std::function<void()> press;      ///< again and again while the key is held
    std::function<void()> release{};  ///< for what lasts while the key is held; also when the focus leaves
    std::function<bool()> when{};     ///< false: the press goes on as if the key were not listed
    /// Instead of `keys`, for those that follow other keys.
    std::function<QList<QKeySequence>()> keysNow{};

    [[nodiscard]] QList<QKeySequence> allKeys() const { return keysNow ? keysNow() : keys; }
};

/// The keys that a widget takes itself while it or a child has the focus, before any action of the window:
/// what is no command of the registry because it belongs to a part that stands many times (a chart), to a
/// field, or to a key that is held. The table is what acts and what F1 lists. GUI thread.
class ViewKeys : public QObject {
    Q_OBJECT
public:
    /// `place` names the widget in F1: "A chart". Widgets of one kind give the same. The widget owns this.
    ViewKeys(QWidget* view, const QString& place);
    void add(ViewKey key) { keys_.push_back(std::move(key)); }
    [[nodiscard]] const QString& place() const { return place_; }
    [[nodiscard]] const std::vector<ViewKey>& keys() const { return keys_; }
    [[nodiscard]] QWidget* view() const { return view_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] const ViewKey* find(const QKeyEvent& event) const;
    void letGo();

    QWidget* view_;
    QString place_;
    std::vector<ViewKey> keys_;
    int held_ = 0;  ///< the key whose release is awaited; 0: none
    std::function<void()> release_{};
};

}  // namespace kurve::views
