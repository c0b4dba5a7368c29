#pragma once

#include <QtCore>
#include <QtGui>
