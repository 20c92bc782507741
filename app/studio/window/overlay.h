#pragma once

#include <QFrame>
#include <QPointer>
#include <functional>
#include <vector>

#include "views/common/data/run_catalog.h"
#include "views/common/shell/command_registry.h"

class QLineEdit;
class QListWidget;

namespace kurve::views {
class KeyBindings;
class KeysPage;
}  // namespace kurve::views

namespace kurve::studio {

/// A card over the window that the keyboard opens and Esc closes; never modal.
class Overlay : public QFrame {
    Q_OBJECT
public:
    explicit Overlay(QWidget* window);
    void open(const QSize& wanted);
    void close();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QPointer<QWidget> before_;  ///< had the focus
};

/// Finds a command or a run by typing a few letters of it. Unavailable entries are grey, with the reason
/// below: the reason is searched as well, and Enter shows it.
class Palette : public Overlay {
    Q_OBJECT
public:
    struct Item {
        QString title, detail, keys, searched;
        std::function<void()> run;
        QString refusal = {};  ///< why it is unavailable; empty: it is not
    };
    explicit Palette(QWidget* window);
    void choose(const QString& prompt, std::vector<Item> items);
    /// Other items for what choose() has opened; the typed text and the selection stay.
    void replace(std::vector<Item> items);
    /// Requests a text, `text` at first; `done` gets the typed text unless it is empty or Esc closes.
    void ask(const QString& prompt, const QString& text, std::function<void(const QString&)> done);
    [[nodiscard]] QLineEdit* box() const { return box_; }
    [[nodiscard]] QString prompt() const;  ///< what it was opened with
    /// How well `typed` fits: -1 not at all, else higher is better (letters in order; word starts and runs
    /// count more).
    [[nodiscard]] static int score(const QString& typed, const QString& text);

Q_SIGNALS:
    void refused(const QString& why);  ///< Enter on an unavailable entry; the palette stays

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] std::vector<std::size_t> found() const;
    void fill();
    void accept();
    std::vector<Item> items_;
    std::function<void(const QString&)> answer_;  ///< where a text is requested
    QLineEdit* box_;
    QListWidget* list_;
};

/// F1: the keys of the focused view, then those of the whole window, open to change.
class HelpOverlay : public Overlay {
    Q_OBJECT
public:
    HelpOverlay(views::KeyBindings& bindings, QWidget* window);
    void showKeys(QWidget* focus);
    [[nodiscard]] views::KeysPage& page() { return *page_; }

private:
    views::KeysPage* page_;
};

}  // namespace kurve::studio
