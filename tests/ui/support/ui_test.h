#pragma once

#include <QImage>
#include <QRect>
#include <QString>
#include <QWidget>
#include <functional>

namespace gantry::test {

/// Runs the event loop until the condition holds. @returns whether it did within the time; the
/// limit is for a machine that hangs, not a measurement.
bool waitUntil(const std::function<bool()>& condition, int limitSeconds = 60);

/// Runs the event loop for a while.
void pass(int milliseconds);

/// Shows a top-level widget in that size, an invalid one being its own, and waits until it is on
/// the screen and active.
void show(QWidget& window, QSize size);

/// Saves what the widget shows as build/<preset>/screenshots/NAME-dark.png and NAME-light.png, and
/// leaves the dark theme on.
void savePictures(QWidget& widget, const QString& name);

/// Does the same where the environment asks for it, GANTRY_TEST_PICTURES=1, and nothing elsewhere:
/// for whoever wants to see the states that the tests go through.
void screenshots(QWidget& widget, const QString& name);

/// A wheel's event at a point of the widget, as a mouse sends it.
void wheel(QWidget& widget, QPointF at, int steps, Qt::KeyboardModifiers modifiers = {});

/// A double click as a mouse does it: the press of a single one comes before.
void doubleClick(QWidget& widget, QPoint at);

/// The tool tip where the pointer rests at a point of the widget; empty: none.
[[nodiscard]] QString toolTipAt(QWidget& widget, QPoint at);

/// The smallest rectangle outside which two pictures of one size are the same.
[[nodiscard]] QRect changedArea(const QImage& before, const QImage& after);

/// Presses at one point, moves to another in steps, and releases.
void drag(QWidget& widget, QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton,
          Qt::KeyboardModifiers modifiers = {});

/// Waits for a file dialog of the widget, types a path into it and presses its first button.
void chooseFile(QWidget& widget, const char* dialogName, const QString& path);

}  // namespace gantry::test
