#pragma once

#include <QFrame>
#include <QPointer>

class QLabel;
class QPushButton;

namespace kurve::studio {

/// A frame around a widget of the window that lets the mouse through and follows the widget.
class TourFrame : public QWidget {
    Q_OBJECT
public:
    explicit TourFrame(QWidget* window);
    void pointAt(QWidget* target);
    /// In the window's coordinates; empty if no visible widget is pointed at.
    [[nodiscard]] QRect targetRect() const;

Q_SIGNALS:
    void moved();
    void escaped();  ///< Esc in the window that no widget handled

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void follow();

    QPointer<QWidget> target_;
};

/// One stop of the guided tour as a card beside the widget that it points to, which it never covers: where no
/// side of the widget has space for the card, the frame is hidden. Never modal, never takes the focus by
/// itself; Esc leaves the tour, unless what has the focus takes the key.
class TourCard : public QFrame {
    Q_OBJECT
public:
    explicit TourCard(QWidget* window);
    struct Text {
        QString headline, sentence, action;
        QString other = {};  ///< text of a second action; empty: there is none
    };
    /// `stop` counts from 0.
    void showStop(const Text& text, int stop, int stops, QWidget* target);
    /// The same card apart from the stops, in the window's corner. `next`: the text of a button to continue;
    /// empty: there is none.
    void showApart(const Text& text, const QString& heading, const QString& next);
    void leave();
    [[nodiscard]] TourFrame& frame() { return *frame_; }

Q_SIGNALS:
    void acted();
    void otherActed();
    void nextWanted();
    void backWanted();
    void left();

private:
    QPushButton* makeButton(const QString& text, const char* id, const char* role);
    void reposition();
    [[nodiscard]] int heightAt(int width) const;
    /// The side of `target` with the most space that holds the card; empty: none does.
    [[nodiscard]] QRect sideOf(const QRect& target, const QRect& all) const;
    void showText(const Text& text, const QString& heading);

    bool apart_ = false;  ///< in the left corner: notices are in the right one
    TourFrame* frame_;
    QLabel *progress_, *headline_, *sentence_;
    QPushButton *action_, *other_, *back_, *next_, *close_;
};

}  // namespace kurve::studio
